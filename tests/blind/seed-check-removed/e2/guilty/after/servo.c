#include "axis.h"

#define SERVO_TARGET  0
#define SERVO_ENABLE  1
#define SERVO_SPEED   2

#define SERVO_LONG_MOVE  2000
#define SERVO_FAST       400u
#define SERVO_SLOW       120u

static int servo_move_to(struct axis *ax, int32_t target)
{
	int64_t distance;

	if (!ax->homed)
		return AXIS_ENOTHOMED;
	distance = (int64_t)target - ax->position;
	if (distance < 0)
		distance = -distance;
	ax->regs[SERVO_SPEED] = distance > SERVO_LONG_MOVE ? SERVO_FAST : SERVO_SLOW;
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
