#include "axis.h"

#define SERVO_TARGET  0
#define SERVO_ENABLE  1
#define SERVO_SPEED   2

static int servo_move_to(struct axis *ax, int32_t target)
{
	if (!ax->homed)
		return AXIS_ENOTHOMED;
	if (target < ax->min || target > ax->max)
		return AXIS_ERANGE;
	ax->regs[SERVO_TARGET] = (uint32_t)target;
	ax->regs[SERVO_ENABLE] = 1;
	ax->position = target;
	return AXIS_OK;
}

static int servo_stop(struct axis *ax)
{
	ax->regs[SERVO_ENABLE] = 0;
	return AXIS_OK;
}

const struct axis_ops servo_ops = {
	.name = "servo",
	.move_to = servo_move_to,
	.stop = servo_stop,
};
