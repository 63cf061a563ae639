bl_info = {
    "name": "Purge Helpers",
    "author": "Pipeline TD",
    "version": (1, 4, 0),
    "blender": (3, 6, 0),
    "category": "Object",
}

import bpy

PREFIX = "HLP_"


def _orphaned(datablock):
    return datablock is not None and datablock.users == 0


def _take_out(scene, ob):
    for child in ob.children:
        child.parent = ob.parent
    bpy.data.objects.remove(ob, do_unlink=True)
    scene["purged"] = scene.get("purged", 0) + 1


class OBJECT_OT_purge_helpers(bpy.types.Operator):
    """Remove the helper meshes of the rig"""

    bl_idname = "object.purge_helpers"
    bl_label = "Purge Helpers"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def execute(self, context):
        helpers = [ob for ob in context.scene.objects if ob.type == "MESH" and ob.name.startswith(PREFIX)]
        freed = 0
        for ob in helpers:
            mesh = ob.data
            _take_out(context.scene, ob)
            if _orphaned(mesh):
                bpy.data.meshes.remove(mesh)
                freed += 1
        self.report({"INFO"}, f"{len(helpers)} helpers, {freed} meshes")
        return {"FINISHED"}


def register():
    bpy.utils.register_class(OBJECT_OT_purge_helpers)


def unregister():
    bpy.utils.unregister_class(OBJECT_OT_purge_helpers)


if __name__ == "__main__":
    register()
