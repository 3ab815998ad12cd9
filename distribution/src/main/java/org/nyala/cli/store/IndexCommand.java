package org.nyala.cli.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.ProgressLine;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.management.bean.JobsMXBean;
import org.nyala.server.IndexChange;
import org.nyala.service.RunDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code nyala index}. */
@Command(
    name = "index",
    description = {
      "Shows, builds and deletes the indexes of the data directory.",
      "If a server runs on it, the server does the work beside the requests of "
          + "clients, and continues if this command is interrupted.",
      "Work that was interrupted otherwise continues with the next index command or "
          + "when the server starts."
    })
public final class IndexCommand extends DataCommand {
  enum Action {
    list,
    add,
    rebuild,
    drop
  }

  @Parameters(index = "0", paramLabel = "ACTION", description = "list, add, rebuild or drop.")
  private Action action = Action.list;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "ATTR[:KINDS]",
      description = {
        "Attributes, each with kinds of index separated by commas: eq, sub, pres, ord.",
        "Without kinds: add takes eq, rebuild and drop take all existing kinds."
      })
  private List<String> wanted = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    NyalaConfig configuration = data().configuration();
    configuration.requireData();
    if (action == Action.list) {
      try (LmdbBackend backend = open(configuration, configuration.store().asReadOnly())) {
        list(backend);
      }
      return ExitCode.OK;
    }
    if (wanted.isEmpty() || wanted.stream().anyMatch(each -> each.lines().count() != 1)) {
      throw CommandException.usage("index " + action + ": name an attribute");
    }
    Optional<RunDirectory.Holder> holder = data().runDirectory().holder();
    return holder.isPresent() ? ask(configuration, holder.get()) : change(configuration);
  }

  private static LmdbBackend open(NyalaConfig configuration, LmdbSettings settings)
      throws IOException {
    return LmdbBackend.open(
        configuration.data(), configuration.schema(Installation.current()), settings);
  }

  private IndexChange.Action change() {
    return switch (action) {
      case add -> IndexChange.Action.ADD;
      case rebuild -> IndexChange.Action.REBUILD;
      case drop -> IndexChange.Action.DROP;
      case list -> throw new IllegalStateException("list changes nothing");
    };
  }

  private void list(LmdbBackend backend) {
    backend.indexes().forEach(definition -> out().println(definition));
    backend.indexProgress().forEach(work -> out().println(IndexChange.text(work)));
  }

  /** Has the running server do it, one index after the other. */
  private int ask(NyalaConfig configuration, RunDirectory.Holder holder) throws IOException {
    if (wanted.size() > 1) {
      // A mistake in one of them is found before the work on another.
      try (LmdbBackend backend = open(configuration, configuration.store().asReadOnly())) {
        changes(backend, configuration);
      }
    }
    for (String each : wanted) {
      ServedJob served = new ServedJob(data().runDirectory(), progress(), System::nanoTime);
      Optional<JobsMXBean.Job> job = served.request(holder, jobs -> begin(jobs, each));
      if (job.isEmpty()) {
        return explainEnd(configuration);
      }
      if (!job.get().state().equals(JobsMXBean.DONE)) {
        throw CommandException.failed(job.get().message());
      }
      out().println(job.get().message());
    }
    return ExitCode.OK;
  }

  private long begin(JobsMXBean jobs, String index) {
    return switch (change()) {
      case ADD -> jobs.addIndex(index);
      case REBUILD -> jobs.rebuildIndex(index);
      case DROP -> jobs.dropIndex(index);
    };
  }

  /** Reports on the data of a server that has ended: the data shows which work it had begun. */
  private int explainEnd(NyalaConfig configuration) throws IOException {
    try (LmdbBackend backend = open(configuration, configuration.store().asReadOnly())) {
      for (String each : wanted) {
        IndexChange change = IndexChange.parse(backend, change(), each);
        if (backend.indexProgress().stream().anyMatch(change::isOn)) {
          throw CommandException.failed(
              "the server has ended; the work goes on when it starts again, or with the next index"
                  + " command");
        }
        if (!change.isFulfilled(backend.indexes())) {
          throw CommandException.failed(
              wanted.size() == 1
                  ? "the server has ended before it began: nothing was changed"
                  : "the server has ended before it began with " + each);
        }
        out().println(change.done());
      }
      return ExitCode.OK;
    }
  }

  /** Parses and checks all changes before the first one begins. */
  private List<IndexChange> changes(LmdbBackend backend, NyalaConfig configuration) {
    List<IndexChange> changes = new ArrayList<>();
    for (String each : wanted) {
      IndexChange change = IndexChange.parse(backend, change(), each);
      change.requireUseful(backend, configuration);
      if (change.action() == IndexChange.Action.DROP) {
        change.requireNotNeeded(configuration);
      }
      changes.add(change);
    }
    return changes;
  }

  private int change(NyalaConfig configuration) throws IOException {
    try (LmdbBackend backend =
        open(configuration, configuration.store().with(draft -> draft.rememberedSearches = 0))) {
      for (IndexChange change : changes(backend, configuration)) {
        change.begin(backend);
        work(backend);
        out().println(change.done());
      }
    }
    return ExitCode.OK;
  }

  private void work(LmdbBackend backend) {
    ProgressLine progress = progress();
    long startNanos = System.nanoTime();
    try {
      while (backend.workOnIndexes()) {
        progress.show(
            () -> IndexChange.text(backend.indexProgress()), System.nanoTime() - startNanos);
      }
    } catch (StoreUnavailableException e) {
      throw CommandException.failed(
          "the work on indexes has stopped, "
              + ErrorMessages.line(e)
              + "; it goes on with the next index command, or when the server starts");
    } finally {
      progress.finish();
    }
  }
}
