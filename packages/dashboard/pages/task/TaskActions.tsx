import type { Task } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { toTaskInput } from "../../data/task-input.ts";
import { nameTask } from "../../data/task-name.ts";
import { Button } from "../../parts/Button.tsx";
import { ConfirmDialog } from "../../parts/ConfirmDialog.tsx";
import { announce } from "../../parts/toast.ts";
import { navigate } from "../../shell/router.ts";
import { ShareDialog } from "./ShareDialog.tsx";

export function TaskActions({ task, onChanged }: { task: Task; onChanged: (task: Task) => void }) {
  const [isAsking, setAsking] = useState(false);
  const [isSharing, setSharing] = useState(false);

  async function cancel() {
    onChanged(await apiClient.tasks.cancel(task.id));
    announce("Cancelled. What was finished stays; the rest costs nothing.");
  }

  async function runAgain() {
    const { id } = await apiClient.tasks.create(toTaskInput(task));
    navigate(`app/tasks/${id}`);
    announce("Created again, with the same input and settings.");
  }

  async function remove() {
    await apiClient.tasks.delete(task.id);
    navigate("app/tasks");
    announce("The Task and its files are deleted.");
  }

  return (
    <>
      {task.completedAt === null ? (
        <Button icon="stop" onClick={cancel}>
          Cancel
        </Button>
      ) : (
        <Button icon="retry" onClick={runAgain}>
          Run again
        </Button>
      )}
      <Button icon="share" onClick={() => setSharing(true)}>
        Share
      </Button>
      <Button kind="danger" icon="trash" onClick={() => setAsking(true)}>
        Delete
      </Button>
      {isSharing && <ShareDialog taskId={task.id} onClose={() => setSharing(false)} />}
      {isAsking && (
        <ConfirmDialog
          title="Delete this Task?"
          action="Delete the Task"
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          The outputs made from {nameTask(task)} are deleted with it. The uploaded file stays.
        </ConfirmDialog>
      )}
    </>
  );
}
