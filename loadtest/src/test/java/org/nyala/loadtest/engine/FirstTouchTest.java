package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of the machine are read once before anything is measured. */
@Timeout(300)
class FirstTouchTest {
  @Test
  void shouldLoadWhatItSamplesBeforeTheFirstOperation(@TempDir Path directory) throws Exception {
    Path classes = directory.resolve("classes.log");
    AtomicReference<String> loaded = new AtomicReference<>("");
    StubServer.Behaviour behaviour =
        (request, number, out) -> {
          if (number == 0) {
            loaded.set(Files.readString(classes));
          }
          out.write(StubServer.right(request));
        };
    try (StubServer server = StubServer.start(behaviour)) {
      Process tester =
          new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-XX:TieredStopAtLevel=1",
                      "-Xlog:class+load:file=" + classes + "::filesize=0",
                      "-cp",
                      System.getProperty("java.class.path"),
                      "org.nyala.loadtest.cli.Main",
                      "search",
                      "--url=ldap://127.0.0.1:" + server.address().getPort(),
                      "--users=10",
                      "--connections=1",
                      "--seconds=100",
                      "--operations=3",
                      "--warmup-seconds=0"))
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("out").toFile())
              .start();
      tester.waitFor();
    }

    assertThat(Files.readString(directory.resolve("out"))).contains("(3)");
    assertThat(loaded.get())
        .contains("org.nyala.loadtest.engine.LoadRun ")
        .contains("org.nyala.loadtest.result.GcPauses ")
        .contains("com.sun.management.internal.GarbageCollectorExtImpl ");
  }
}
