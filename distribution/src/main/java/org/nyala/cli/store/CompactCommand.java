package org.nyala.cli.store;

import java.io.IOException;
import java.util.Optional;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.ProgressLine;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.admin.StoreCompaction;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.management.bean.JobsMXBean;
import org.nyala.server.Compactions;
import org.nyala.service.RunDirectory;
import picocli.CommandLine.Command;

/** {@code nyala compact}. */
@Command(
    name = "compact",
    description = {
      "Replaces the data file by a copy without free pages, and prints the sizes before and after.",
      "If a server runs on it, the server does the work while clients search and change; it "
          + "continues if this command is interrupted.",
      "Takes disk space for the copy, on the file system of the data."
    })
public final class CompactCommand extends DataCommand {
  @Override
  public Integer call() throws IOException {
    NyalaConfig configuration = data().configuration();
    configuration.requireData();
    Optional<RunDirectory.Holder> holder = data().runDirectory().holder();
    out().println(holder.isPresent() ? ask(holder.get()) : compact(configuration));
    return ExitCode.OK;
  }

  /** Has the running server do it. */
  private String ask(RunDirectory.Holder holder) throws IOException {
    ServedJob served = new ServedJob(data().runDirectory(), progress(), System::nanoTime);
    JobsMXBean.Job job =
        served
            .request(holder, JobsMXBean::compact)
            .orElseThrow(
                () ->
                    CommandException.failed(
                        "the server has ended before it was done; no change is lost"));
    if (!job.state().equals(JobsMXBean.DONE)) {
      throw CommandException.failed(job.message());
    }
    return job.message();
  }

  private String compact(NyalaConfig configuration) throws IOException {
    LmdbSettings settings = configuration.store().with(draft -> draft.rememberedSearches = 0);
    ProgressLine progress = progress();
    long startNanos = System.nanoTime();
    try (LmdbBackend backend =
        LmdbBackend.open(
            configuration.data(), configuration.schema(Installation.current()), settings)) {
      StoreCompaction compaction =
          new StoreCompaction(
              backend,
              settings,
              (step, done, total) ->
                  progress.show(
                      () -> Compactions.progress(step, done, total),
                      System.nanoTime() - startNanos));
      return Compactions.result(compaction.run(), System.nanoTime() - startNanos);
    } finally {
      progress.finish();
    }
  }
}
