package org.nyala.loadtest.caching;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.ldif.ImportResult;
import org.nyala.lmdb.ldif.ImportSource;
import org.nyala.loadtest.workload.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Loads a caching store. Confined to the thread that runs it. */
@Command(
    name = "load",
    mixinStandardHelpOptions = true,
    description =
        "Loads LDIF into a new store, with the default schema and indexes: read, checked and sorted"
            + " as by nyala import.",
    footer = "Exit codes: 0 all entries loaded, 1 failed or entries rejected, 2 wrong usage.")
final class CachingLoadCommand implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;

  @Parameters(arity = "1..*", paramLabel = "LDIF", description = "the files, parents first")
  private List<Path> files = List.of();

  @Mixin private StoreOptions store = new StoreOptions();

  /* 0 keeps the default of the import, which depends on the machine. */
  @Option(
      names = "--threads",
      description = "threads that read and check, 1 to 64 (default: processors less one)")
  private int threads;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() {
    var command = Objects.requireNonNull(spec).commandLine();
    try {
      ImportResult result =
          CachingLoad.run(
              ExtendedSchema.of(SchemaLoader.standard()),
              files.stream().map(ImportSource::file).toList(),
              store.data(),
              store.cacheBytes(),
              draft -> draft.threads = threads == 0 ? draft.threads : threads);
      return report(result, command.getOut());
    } catch (StoreException | IllegalArgumentException e) {
      command.getErr().println("nyala-loadtest: " + e.getMessage());
      return ExitCode.FAILED;
    }
  }

  private static int report(ImportResult result, PrintWriter out) {
    double seconds = result.elapsedNanos() / NANOS_PER_SECOND;
    result.firstRejections().forEach(out::println);
    out.printf(
        Locale.ROOT,
        "loaded %,d entries in %.1f s, %,.0f entries/s; rejected %,d%n",
        result.entriesImported(),
        seconds,
        result.entriesImported() / seconds,
        result.entriesRejected());
    return result.entriesRejected() == 0 ? ExitCode.OK : ExitCode.FAILED;
  }
}
