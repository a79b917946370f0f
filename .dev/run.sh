xz -d .dev/*.xz
export VK_DRIVER_FILES=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
export LD_LIBRARY_PATH=$PWD/.dev/lib XDG_CACHE_HOME=/tmp/c
V=$PWD/.dev/vksim; cd /tmp; L=$OUT/log
{
P="gas --headless --out none --quiet"
t() { echo "$*"; timeout 100 $V $P "$@" --timings 2>&1 | grep -E "steps, 0 frames|^exchange  |^wait|^tuning|failed|vksim:"; }
G="--gravity 1 --temperature 0.0005"
A="--preset plain --size 256x256x256 --particles 134217728 --steps 100"
for i in 1 2 3; do
t $A --ranks 1 --variant sorted-1
t $A --ranks 2
done
t $A $G --ranks 1 --variant sorted-1
t $A $G --ranks 2
A="--preset plain --size 512x512x512 --particles 134217728 --steps 50"
t $A --ranks 1 --variant sorted-1
t $A --ranks 2
A="--preset plain --size 256x256x256 --steps 300"
t $A --ranks 1 --variant sorted-1
t $A --ranks 2
A="--preset plain --size 512x512x512 --particles 500M --steps 20"
t $A --ranks 2
t $A $G --ranks 2
date
} > $L 2>&1
