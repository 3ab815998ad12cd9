package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.core.certificate.CertificateMaker;
import org.nyala.management.ServerWatch;
import org.nyala.management.WatchSettings;
import org.nyala.netty.tls.TlsStatus;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Alarms about the certificates of members of a cluster, and how often their files are read. */
class ExtensionCertificatesTest {
  private static final SecureRandom RANDOM = new SecureRandom();

  @TempDir Path folder;

  private Instant now = Instant.now();

  private void write(int days, Instant from, Instant authorityFrom) throws IOException {
    CertificateMaker.Pem own =
        CertificateMaker.selfSigned(List.of("localhost"), days, from, RANDOM);
    Path key = folder.resolve("member.key");
    Files.writeString(key, own.key());
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    Files.writeString(folder.resolve("member.pem"), own.certificate());
    Files.writeString(
        folder.resolve("authorities.pem"),
        CertificateMaker.authority("ours", 90, authorityFrom, RANDOM).certificate());
  }

  private String configuration() {
    return """
    cluster {
      address = "localhost:%d", tlsCertificate = member.pem, tlsKey = member.key
      tlsTrust = authorities.pem
    }
    """
        .formatted(FreePorts.take());
  }

  private ExtensionCertificates certificates() throws IOException {
    Path file = ServerProcess.configure(folder, configuration());
    InstantSource clock = () -> now;
    return new ExtensionCertificates(ConfigurationFile.read(file, folder).extensions(), clock);
  }

  private static List<String> failures(ExtensionCertificates certificates) {
    return certificates.look().stream()
        .map(TlsStatus::failure)
        .filter(each -> !each.isEmpty())
        .toList();
  }

  @Test
  void shouldRaiseAnAlarmBeforeOneEnds() throws Exception {
    write(5, now, now);
    try (RunningServer server = LocalServer.start(folder, configuration());
        ServerWatch watch = new ServerWatch(server.served(), WatchSettings.DEFAULT)) {
      watch.look();
      assertThat(server.served().notices().alarms())
          .anyMatch(
              each ->
                  each.matches(
                      ".*the certificate .*member.pem and .*member.key \\(CN=localhost\\) ends on"
                          + " 20.*"));
    }
  }

  @Test
  void shouldRaiseAnAlarmAboutFilesThatCannotBeUsed() throws Exception {
    write(90, now, now);
    try (RunningServer server = LocalServer.start(folder, configuration());
        ServerWatch watch = new ServerWatch(server.served(), WatchSettings.DEFAULT)) {
      Files.writeString(folder.resolve("member.pem"), "no certificate");
      watch.look();
      assertThat(server.served().notices().alarms()).anyMatch(each -> each.contains("member.pem"));
    }
  }

  @Test
  void shouldTellOfCertificatesThatAreNotValid() throws Exception {
    write(5, now.minus(Duration.ofDays(6)), now);
    assertThat(failures(certificates()))
        .singleElement()
        .asString()
        .contains("member.pem", " has ended on ");
    write(5, now.plus(Duration.ofDays(1)), now);
    assertThat(failures(certificates()))
        .singleElement()
        .asString()
        .contains("member.pem", " is not valid before ");
    // An authority serves beyond its end.
    write(90, now, now.minus(Duration.ofDays(91)));
    ExtensionCertificates old = certificates();
    assertThat(failures(old)).isEmpty();
    assertThat(old.look()).extracting(TlsStatus::end).anyMatch(end -> end.isBefore(now));
  }

  @Test
  void shouldReadFilesOnceAMinute() throws Exception {
    write(90, now, now);
    ExtensionCertificates certificates = certificates();
    assertThat(failures(certificates)).isEmpty();
    Files.writeString(folder.resolve("member.pem"), "no certificate");
    now = now.plusSeconds(59);
    assertThat(failures(certificates)).isEmpty();
    now = now.plusSeconds(1);
    assertThat(failures(certificates)).singleElement().asString().contains("member.pem");
    write(90, now, now);
    now = now.minus(Duration.ofDays(1));
    assertThat(failures(certificates)).singleElement().asString().contains("not valid before");
    now = now.plus(Duration.ofDays(1));
    assertThat(failures(certificates)).isEmpty();
  }
}
