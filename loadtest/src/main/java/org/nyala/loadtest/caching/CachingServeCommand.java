package org.nyala.loadtest.caching;

import java.io.IOException;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.lmdb.env.StoreException;
import org.nyala.loadtest.workload.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Serves a caching store. Confined to the thread that runs it. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    description =
        "Serves a loaded store on 127.0.0.1 for reading, until it is killed; every client may"
            + " read.",
    footer = "Exit codes: 1 failed, 2 wrong usage.")
final class CachingServeCommand implements Callable<Integer> {
  private static final int HIGHEST_PORT = 65_535;

  @Mixin private StoreOptions store = new StoreOptions();

  @Option(
      names = "--port",
      description = "port, 0 for a free one, which is printed (default: ${DEFAULT-VALUE})")
  private int port = 1389;

  /* The cache of 2011 that was too small, by default: a larger one needs a larger heap. */
  @Option(
      names = "--entry-cache",
      paramLabel = "N",
      description = "the most entries in the cache, 0 for none (default: ${DEFAULT-VALUE})")
  private int cachedEntries = 10_000;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    var command = Objects.requireNonNull(spec).commandLine();
    try {
      StoreOptions.requireWithin("--port", port, 0, HIGHEST_PORT);
      StoreOptions.requireWithin("--entry-cache", cachedEntries, 0, Integer.MAX_VALUE);
      Schema schema = SchemaLoader.standard();
      CachingBackend backend =
          CachingBackend.open(store.data(), schema, cachedEntries, store.cacheBytes());
      try (CachingServer server = CachingServer.start(backend, schema, port)) {
        command
            .getOut()
            .printf(
                Locale.ROOT,
                "ready on ldap://127.0.0.1:%d: %,d entries, process %d%n",
                server.address().getPort(),
                backend.size(),
                ProcessHandle.current().pid());
        command.getOut().flush();
        new CountDownLatch(1).await();
      }
    } catch (StoreException | IOException e) {
      command.getErr().println("nyala-loadtest: " + e.getMessage());
    }
    return ExitCode.FAILED;
  }
}
