/* SPDX-License-Identifier: MIT */
/* The tables of instructions that are accepted as exact. Included by exact.c only. */
#ifndef VKS_SPIRV_RULES_H
#define VKS_SPIRV_RULES_H

#include <stddef.h>
#include <stdint.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

/* Where an instruction keeps its result. */
enum shape {
    BARE,         /* none */
    RESULT,       /* word 1: the result */
    TYPED_RESULT, /* word 1: the result's type, word 2: the result */
};

enum verdict {
    EXACT,      /* always */
    ARITHMETIC, /* with NoContraction; every operand is an id */
    INSPECT,    /* decided by check_instruction() */
    REFUSED,
};

struct rule {
    uint16_t opcode;
    uint8_t shape;
    uint8_t verdict;
    const char *name;
    const char *why; /* of a refusal; NULL: the general sentence */
};

/* clang-format off */
#define RULE(shape, verdict, name, why) {SpvOp##name, shape, verdict, "Op" #name, why}
#define BARE_OP(name) RULE(BARE, EXACT, name, NULL)
#define TYPE(name) RULE(RESULT, EXACT, name, NULL)
#define VALUE(name) RULE(TYPED_RESULT, EXACT, name, NULL)
#define LOOK_AT(shape, name) RULE(shape, INSPECT, name, NULL)
#define NOT(name, why) RULE(TYPED_RESULT, REFUSED, name, why)

#define WHY_DIVISION "its error bound is 2.5 ulp; multiply by a reciprocal or use lib/exact.glsl"
#define WHY_ORDER "the order of its additions is the driver's; sum in a fixed tree"
#define WHY_SUM "its order of additions is the driver's; write out the multiplies and adds"
#define WHY_IMAGE "images are filtered and converted as the driver likes; use a storage buffer"
#define WHY_SIGNED "undefined for negative operands; use unsigned integers"
#define WHY_NAN "drivers may assume that there are no NaN and infinities"
#define WHY_GRADIENT "derivatives are the driver's choice"
#define WHY_WIDTH "only 32-bit numbers are exact on every device; use pairs of uint for wider ones"
#define WHY_ADDRESS "an address differs from run to run; reach fields by VKS_AT of lib/field.glsl"
#define WHY_FLOAT_ATOMIC "float atomics depend on the order of invocations"

static const struct rule rules[] = {
    /* module, debug information, annotations, types and constants */
    BARE_OP(Nop), BARE_OP(SourceContinued), BARE_OP(Source), BARE_OP(SourceExtension),
    LOOK_AT(BARE, Name), BARE_OP(MemberName), LOOK_AT(RESULT, String), LOOK_AT(BARE, Line),
    LOOK_AT(BARE, NoLine), BARE_OP(ModuleProcessed), BARE_OP(Extension),
    LOOK_AT(RESULT, ExtInstImport), BARE_OP(MemoryModel), LOOK_AT(BARE, EntryPoint),
    LOOK_AT(BARE, ExecutionMode), BARE_OP(ExecutionModeId), LOOK_AT(BARE, Capability),
    LOOK_AT(BARE, Decorate), LOOK_AT(BARE, MemberDecorate), BARE_OP(DecorateId),
    BARE_OP(DecorateString), BARE_OP(MemberDecorateString), TYPE(DecorationGroup),
    LOOK_AT(BARE, GroupDecorate), LOOK_AT(BARE, GroupMemberDecorate),
    TYPE(TypeVoid), TYPE(TypeBool), LOOK_AT(RESULT, TypeInt), LOOK_AT(RESULT, TypeFloat),
    LOOK_AT(RESULT, TypeVector), TYPE(TypeMatrix), TYPE(TypeArray), TYPE(TypeRuntimeArray),
    TYPE(TypeStruct), LOOK_AT(RESULT, TypePointer), TYPE(TypeFunction), BARE_OP(TypeForwardPointer),
    VALUE(Undef), VALUE(ConstantTrue), VALUE(ConstantFalse), VALUE(Constant),
    VALUE(ConstantComposite), VALUE(ConstantNull), VALUE(SpecConstantTrue),
    VALUE(SpecConstantFalse), VALUE(SpecConstant), VALUE(SpecConstantComposite),
    LOOK_AT(TYPED_RESULT, SpecConstantOp),
    /* functions, control, memory, composites */
    LOOK_AT(TYPED_RESULT, Function), VALUE(FunctionParameter), LOOK_AT(BARE, FunctionEnd),
    LOOK_AT(TYPED_RESULT, FunctionCall), VALUE(Phi), BARE_OP(LoopMerge), BARE_OP(SelectionMerge),
    TYPE(Label), BARE_OP(Branch), BARE_OP(BranchConditional), BARE_OP(Switch), BARE_OP(Return),
    BARE_OP(ReturnValue), BARE_OP(Unreachable), BARE_OP(ControlBarrier), BARE_OP(MemoryBarrier),
    VALUE(Variable), VALUE(Load), BARE_OP(Store), BARE_OP(CopyMemory), VALUE(AccessChain),
    VALUE(InBoundsAccessChain), VALUE(PtrAccessChain), VALUE(InBoundsPtrAccessChain),
    VALUE(ArrayLength), VALUE(CopyObject), VALUE(CopyLogical), VALUE(PtrEqual),
    VALUE(PtrNotEqual), VALUE(PtrDiff), NOT(ConvertPtrToU, WHY_ADDRESS),
    NOT(ConvertUToPtr, WHY_ADDRESS),
    VALUE(VectorExtractDynamic), VALUE(VectorInsertDynamic), VALUE(VectorShuffle),
    VALUE(CompositeConstruct), VALUE(CompositeExtract), VALUE(CompositeInsert), VALUE(Transpose),
    /* integers and booleans */
    VALUE(IAdd), VALUE(ISub), VALUE(IMul), VALUE(UDiv), VALUE(SDiv), VALUE(UMod), VALUE(SNegate),
    VALUE(IAddCarry), VALUE(ISubBorrow), VALUE(UMulExtended), VALUE(SMulExtended),
    VALUE(UConvert), VALUE(SConvert), VALUE(ShiftRightLogical), VALUE(ShiftRightArithmetic),
    VALUE(ShiftLeftLogical), VALUE(BitwiseOr), VALUE(BitwiseXor), VALUE(BitwiseAnd), VALUE(Not),
    VALUE(BitFieldInsert), VALUE(BitFieldSExtract), VALUE(BitFieldUExtract), VALUE(BitReverse),
    VALUE(BitCount), VALUE(Any), VALUE(All), VALUE(LogicalEqual), VALUE(LogicalNotEqual),
    VALUE(LogicalOr), VALUE(LogicalAnd), VALUE(LogicalNot), VALUE(Select), VALUE(IEqual),
    VALUE(INotEqual), VALUE(UGreaterThan), VALUE(SGreaterThan), VALUE(UGreaterThanEqual),
    VALUE(SGreaterThanEqual), VALUE(ULessThan), VALUE(SLessThan), VALUE(ULessThanEqual),
    VALUE(SLessThanEqual), NOT(SRem, WHY_SIGNED), NOT(SMod, WHY_SIGNED),
    /* float32 */
    RULE(TYPED_RESULT, ARITHMETIC, FAdd, NULL), RULE(TYPED_RESULT, ARITHMETIC, FSub, NULL),
    RULE(TYPED_RESULT, ARITHMETIC, FMul, NULL),
    RULE(TYPED_RESULT, ARITHMETIC, VectorTimesScalar, NULL),
    VALUE(FNegate), LOOK_AT(TYPED_RESULT, Bitcast), VALUE(ConvertFToU), VALUE(ConvertFToS),
    VALUE(ConvertSToF), VALUE(ConvertUToF), VALUE(FOrdEqual), VALUE(FUnordEqual),
    VALUE(FOrdNotEqual), VALUE(FUnordNotEqual), VALUE(FOrdLessThan), VALUE(FUnordLessThan),
    VALUE(FOrdGreaterThan),
    VALUE(FUnordGreaterThan), VALUE(FOrdLessThanEqual), VALUE(FUnordLessThanEqual),
    VALUE(FOrdGreaterThanEqual), VALUE(FUnordGreaterThanEqual), LOOK_AT(TYPED_RESULT, ExtInst),
    NOT(FDiv, WHY_DIVISION), NOT(FRem, WHY_DIVISION), NOT(FMod, WHY_DIVISION),
    NOT(FConvert, WHY_WIDTH), NOT(QuantizeToF16, WHY_WIDTH), NOT(Dot, WHY_SUM),
    NOT(MatrixTimesScalar, WHY_SUM), NOT(VectorTimesMatrix, WHY_SUM),
    NOT(MatrixTimesVector, WHY_SUM), NOT(MatrixTimesMatrix, WHY_SUM), NOT(OuterProduct, WHY_SUM),
    NOT(IsNan, WHY_NAN), NOT(IsInf, WHY_NAN),
    NOT(DPdx, WHY_GRADIENT), NOT(DPdy, WHY_GRADIENT), NOT(Fwidth, WHY_GRADIENT),
    NOT(DPdxFine, WHY_GRADIENT), NOT(DPdyFine, WHY_GRADIENT), NOT(FwidthFine, WHY_GRADIENT),
    NOT(DPdxCoarse, WHY_GRADIENT), NOT(DPdyCoarse, WHY_GRADIENT), NOT(FwidthCoarse, WHY_GRADIENT),
    /* atomics: integer ones */
    LOOK_AT(TYPED_RESULT, AtomicLoad), LOOK_AT(BARE, AtomicStore),
    LOOK_AT(TYPED_RESULT, AtomicExchange), VALUE(AtomicCompareExchange), VALUE(AtomicIIncrement),
    VALUE(AtomicIDecrement), VALUE(AtomicIAdd), VALUE(AtomicISub), VALUE(AtomicSMin),
    VALUE(AtomicUMin), VALUE(AtomicSMax), VALUE(AtomicUMax), VALUE(AtomicAnd), VALUE(AtomicOr),
    VALUE(AtomicXor), NOT(AtomicFAddEXT, WHY_FLOAT_ATOMIC), NOT(AtomicFMinEXT, WHY_FLOAT_ATOMIC),
    NOT(AtomicFMaxEXT, WHY_FLOAT_ATOMIC),
    /* subgroups: all but float sums and products */
    VALUE(GroupNonUniformElect), VALUE(GroupNonUniformAll), VALUE(GroupNonUniformAny),
    VALUE(GroupNonUniformAllEqual), VALUE(GroupNonUniformBroadcast),
    VALUE(GroupNonUniformBroadcastFirst), VALUE(GroupNonUniformBallot),
    VALUE(GroupNonUniformInverseBallot), VALUE(GroupNonUniformBallotBitExtract),
    VALUE(GroupNonUniformBallotBitCount), VALUE(GroupNonUniformBallotFindLSB),
    VALUE(GroupNonUniformBallotFindMSB), VALUE(GroupNonUniformShuffle),
    VALUE(GroupNonUniformShuffleXor), VALUE(GroupNonUniformShuffleUp),
    VALUE(GroupNonUniformShuffleDown), VALUE(GroupNonUniformIAdd), VALUE(GroupNonUniformIMul),
    VALUE(GroupNonUniformSMin), VALUE(GroupNonUniformUMin), VALUE(GroupNonUniformFMin),
    VALUE(GroupNonUniformSMax), VALUE(GroupNonUniformUMax), VALUE(GroupNonUniformFMax),
    VALUE(GroupNonUniformBitwiseAnd), VALUE(GroupNonUniformBitwiseOr),
    VALUE(GroupNonUniformBitwiseXor), VALUE(GroupNonUniformLogicalAnd),
    VALUE(GroupNonUniformLogicalOr), VALUE(GroupNonUniformLogicalXor),
    VALUE(GroupNonUniformQuadBroadcast), VALUE(GroupNonUniformQuadSwap),
    NOT(GroupNonUniformFAdd, WHY_ORDER), NOT(GroupNonUniformFMul, WHY_ORDER),
    /* images */
    LOOK_AT(RESULT, TypeImage), RULE(RESULT, REFUSED, TypeSampler, WHY_IMAGE),
    RULE(RESULT, REFUSED, TypeSampledImage, WHY_IMAGE),
    NOT(ImageSampleImplicitLod, WHY_IMAGE), NOT(ImageSampleExplicitLod, WHY_IMAGE),
    VALUE(ImageFetch), NOT(ImageGather, WHY_IMAGE), NOT(ImageRead, WHY_IMAGE),
    RULE(BARE, REFUSED, ImageWrite, WHY_IMAGE),
};

/* Exact GLSL.std.450 instructions. Round is not one: the driver chooses how to break ties. */
static const uint32_t exact_glsl[] = {
    GLSLstd450RoundEven, GLSLstd450Trunc,    GLSLstd450FAbs,     GLSLstd450SAbs,
    GLSLstd450FSign,     GLSLstd450SSign,    GLSLstd450Floor,    GLSLstd450Ceil,
    GLSLstd450FMin,      GLSLstd450UMin,     GLSLstd450SMin,     GLSLstd450FMax,
    GLSLstd450UMax,      GLSLstd450SMax,     GLSLstd450FClamp,   GLSLstd450UClamp,
    GLSLstd450SClamp,    GLSLstd450FindILsb, GLSLstd450FindSMsb, GLSLstd450FindUMsb,
    GLSLstd450NMin,      GLSLstd450NMax,     GLSLstd450NClamp,
};

#define CAPABILITY(name) {SpvCapability##name, #name}

/* Capabilities of numbers that are not 32 bits wide. */
static const struct {
    uint32_t number;
    const char *name;
} widths[] = {
    CAPABILITY(Float16Buffer), CAPABILITY(Float16), CAPABILITY(Float64), CAPABILITY(Int64),
    CAPABILITY(Int64Atomics), CAPABILITY(Int64ImageEXT), CAPABILITY(Int16), CAPABILITY(Int8),
    CAPABILITY(StorageBuffer16BitAccess), CAPABILITY(UniformAndStorageBuffer16BitAccess),
    CAPABILITY(StoragePushConstant16), CAPABILITY(StorageInputOutput16),
    CAPABILITY(StorageBuffer8BitAccess), CAPABILITY(UniformAndStorageBuffer8BitAccess),
    CAPABILITY(StoragePushConstant8), CAPABILITY(WorkgroupMemoryExplicitLayout8BitAccessKHR),
    CAPABILITY(WorkgroupMemoryExplicitLayout16BitAccessKHR), CAPABILITY(AtomicFloat16AddEXT),
    CAPABILITY(AtomicFloat16MinMaxEXT), CAPABILITY(AtomicFloat64AddEXT),
    CAPABILITY(AtomicFloat64MinMaxEXT),
};

#define GLSL(name) {GLSLstd450##name, #name}

/* Names for messages about the others that a shader is likely to call. */
static const struct {
    uint32_t number;
    const char *name;
} glsl_names[] = {
    GLSL(Round), GLSL(Fract), GLSL(Radians), GLSL(Degrees), GLSL(Sin), GLSL(Cos), GLSL(Tan),
    GLSL(Asin), GLSL(Acos), GLSL(Atan), GLSL(Sinh), GLSL(Cosh), GLSL(Tanh), GLSL(Asinh),
    GLSL(Acosh), GLSL(Atanh), GLSL(Atan2), GLSL(Pow), GLSL(Exp), GLSL(Log), GLSL(Exp2), GLSL(Log2),
    GLSL(Sqrt), GLSL(InverseSqrt), GLSL(Determinant), GLSL(MatrixInverse), GLSL(Modf),
    GLSL(ModfStruct), GLSL(FMix), GLSL(Step), GLSL(SmoothStep), GLSL(Fma), GLSL(Frexp),
    GLSL(FrexpStruct), GLSL(Ldexp), GLSL(PackSnorm4x8), GLSL(PackUnorm4x8), GLSL(PackSnorm2x16),
    GLSL(PackUnorm2x16), GLSL(PackHalf2x16), GLSL(UnpackSnorm2x16), GLSL(UnpackUnorm2x16),
    GLSL(UnpackHalf2x16), GLSL(UnpackSnorm4x8), GLSL(UnpackUnorm4x8), GLSL(Length), GLSL(Distance),
    GLSL(Cross), GLSL(Normalize), GLSL(FaceForward), GLSL(Reflect), GLSL(Refract),
};
/* clang-format on */

#endif
