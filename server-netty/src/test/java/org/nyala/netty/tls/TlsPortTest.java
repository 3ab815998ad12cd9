package org.nyala.netty.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.TestAuthority;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.metrics.ServerMetrics;

/** Tests the watch of files beside reloads. */
class TlsPortTest {
  @TempDir Path folder;

  private static TlsSettings settings(Path certificate, Path key) {
    return new TlsSettings(
        TlsSettings.Engine.JDK,
        List.of(new TlsSettings.Files(certificate, key, null)),
        1000,
        1,
        ClientCertificates.NONE);
  }

  @Test
  void shouldNotTakeBackWhatAReloadHasTakenOver() throws Exception {
    TestAuthority root = TestAuthority.root("CN=Root");
    String old = root.issue(Content.client("CN=old")).pem();
    Path first = Files.writeString(folder.resolve("first.pem"), old);
    Path key = Files.writeString(folder.resolve("key.pem"), old);
    Path second = folder.resolve("second.pem");
    Content brief = Content.client("CN=new");
    Files.writeString(
        second, root.issue(brief.valid(brief.begin(), brief.end().minusSeconds(3600))).pem());
    try (TlsPort port = TlsPort.open(settings(first, key), new ServerMetrics(), TlsListener.NONE)) {
      assertThat(port).isNotNull();
      Files.delete(first);
      // A reader of a pipe waits for the writer, and the other way round.
      assertThat(new ProcessBuilder("mkfifo", first.toString()).start().waitFor()).isZero();
      TlsStatus renewed;
      try (OutputStream toWatch = Files.newOutputStream(first, StandardOpenOption.WRITE)) {
        port.read(settings(second, second)).takeOver().run();
        renewed = port.status();
        toWatch.write(old.getBytes(US_ASCII));
      }
      Files.writeString(second, "nothing");
      eventually("it looks at the new file", () -> !port.status().failure().isEmpty());
      assertThat(port.status().failure()).contains("second.pem");
      assertThat(port.status().end()).isEqualTo(renewed.end());
    }
  }
}
