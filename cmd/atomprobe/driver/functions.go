package driver

// function is a function of libcuda.
type function int

const (
	cuDriverGetVersion function = iota // first: see bind
	cuInit
	cuGetErrorName
	cuGetErrorString
	cuDeviceGetCount
	cuDeviceGet
	cuDeviceGetName
	cuDeviceGetAttribute
	cuDeviceTotalMem
	cuDeviceGetPCIBusID
	cuDeviceGetUUID
	cuDevicePrimaryCtxRetain
	cuDevicePrimaryCtxRelease
	cuCtxSetCurrent
	cuCtxSynchronize
	cuModuleLoadDataEx
	cuModuleGetFunction
	cuFuncSetAttribute
	cuOccupancyMaxActiveBlocks
	cuMemGetInfo
	cuMemAlloc
	cuMemFree
	cuMemcpyHtoD
	cuMemcpyDtoH
	cuMemsetD8Async
	cuLaunchKernel
	cuEventCreate
	cuEventRecord
	cuEventSynchronize
	cuEventElapsedTime
	functionCount
)

// functionNames are the symbols. A suffix _v2 names the form with 64-bit sizes.
var functionNames = [functionCount]string{
	cuDriverGetVersion:         "cuDriverGetVersion",
	cuInit:                     "cuInit",
	cuGetErrorName:             "cuGetErrorName",
	cuGetErrorString:           "cuGetErrorString",
	cuDeviceGetCount:           "cuDeviceGetCount",
	cuDeviceGet:                "cuDeviceGet",
	cuDeviceGetName:            "cuDeviceGetName",
	cuDeviceGetAttribute:       "cuDeviceGetAttribute",
	cuDeviceTotalMem:           "cuDeviceTotalMem_v2",
	cuDeviceGetPCIBusID:        "cuDeviceGetPCIBusId",
	cuDeviceGetUUID:            "cuDeviceGetUuid",
	cuDevicePrimaryCtxRetain:   "cuDevicePrimaryCtxRetain",
	cuDevicePrimaryCtxRelease:  "cuDevicePrimaryCtxRelease_v2",
	cuCtxSetCurrent:            "cuCtxSetCurrent",
	cuCtxSynchronize:           "cuCtxSynchronize",
	cuModuleLoadDataEx:         "cuModuleLoadDataEx",
	cuModuleGetFunction:        "cuModuleGetFunction",
	cuFuncSetAttribute:         "cuFuncSetAttribute",
	cuOccupancyMaxActiveBlocks: "cuOccupancyMaxActiveBlocksPerMultiprocessor",
	cuMemGetInfo:               "cuMemGetInfo_v2",
	cuMemAlloc:                 "cuMemAlloc_v2",
	cuMemFree:                  "cuMemFree_v2",
	cuMemcpyHtoD:               "cuMemcpyHtoD_v2",
	cuMemcpyDtoH:               "cuMemcpyDtoH_v2",
	cuMemsetD8Async:            "cuMemsetD8Async",
	cuLaunchKernel:             "cuLaunchKernel",
	cuEventCreate:              "cuEventCreate",
	cuEventRecord:              "cuEventRecord",
	cuEventSynchronize:         "cuEventSynchronize",
	cuEventElapsedTime:         "cuEventElapsedTime",
}

// optional reports whether a driver without the function will do.
func (f function) optional() bool { return f == cuDeviceGetUUID }

// cString returns the text that a NUL ends.
func cString(text []byte) string {
	for i, c := range text {
		if c == 0 {
			return string(text[:i])
		}
	}
	return string(text)
}
