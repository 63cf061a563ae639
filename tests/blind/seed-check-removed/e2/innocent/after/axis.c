#include "axis.h"

int axis_may_move(const struct axis *ax, int32_t target)
{
	if (!ax->homed)
		return AXIS_ENOTHOMED;
	if (target < ax->min || target > ax->max)
		return AXIS_ERANGE;
	return AXIS_OK;
}
