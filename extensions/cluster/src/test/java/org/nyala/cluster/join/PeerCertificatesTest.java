package org.nyala.cluster.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.raft.PemFiles;

class PeerCertificatesTest {
  private static final Integer DNS = 2;
  private static final Integer ADDRESS = 7;

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return PeerCertificates.run(
        List.of(arguments), new PrintWriter(out, true), new PrintWriter(err, true));
  }

  private X509Certificate certificate(String file) throws Exception {
    return PemFiles.certificates(folder.resolve(file)).getFirst();
  }

  @Test
  void shouldVouchForHostsWithTheirNamesAndAddresses() throws Exception {
    assertThat(run(folder.toString(), "ldap1.example.com,10.0.0.1", "::1")).isZero();

    X509Certificate authority = certificate("cluster-ca.pem");
    X509Certificate first = certificate("ldap1.example.com.pem");
    first.verify(authority.getPublicKey());
    assertThat(first.getIssuerX500Principal()).isEqualTo(authority.getSubjectX500Principal());
    assertThat(first.getBasicConstraints()).isEqualTo(-1);
    assertThat(authority.getBasicConstraints()).isZero();
    assertThat(first.getSubjectAlternativeNames())
        .containsExactlyInAnyOrder(List.of(DNS, "ldap1.example.com"), List.of(ADDRESS, "10.0.0.1"));
    X509Certificate second = certificate("0-0-0-0-0-0-0-1.pem");
    assertThat(second.getSubjectAlternativeNames())
        .containsExactly(List.of(ADDRESS, "0:0:0:0:0:0:0:1"));
    assertThat(Duration.between(Instant.now(), second.getNotAfter().toInstant()).toDays())
        .isBetween(364L, 365L);
    for (String key : List.of("cluster-ca.key", "ldap1.example.com.key", "0-0-0-0-0-0-0-1.key")) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(key))))
          .as(key)
          .isEqualTo("rw-------");
    }
    assertThat(out.toString())
        .contains("nyala.cluster.tlsKey = \"" + folder.resolve("ldap1.example.com.key") + '"');
  }

  @Test
  void shouldVouchForFurtherHostsByTheSameAuthority() throws Exception {
    assertThat(run(folder.toString(), "one.example.com")).isZero();
    String authority = Files.readString(folder.resolve("cluster-ca.pem"));

    assertThat(run("--days", "7", folder.toString(), "two.example.com")).isZero();

    assertThat(Files.readString(folder.resolve("cluster-ca.pem"))).isEqualTo(authority);
    X509Certificate second = certificate("two.example.com.pem");
    second.verify(certificate("cluster-ca.pem").getPublicKey());
    assertThat(Duration.between(Instant.now(), second.getNotAfter().toInstant()).toDays())
        .isBetween(6L, 7L);
  }

  @Test
  void shouldWriteOverNoFile() throws Exception {
    Path taken = Files.writeString(folder.resolve("two.example.com.key"), "a key");

    assertThat(run(folder.toString(), "one.example.com", "two.example.com")).isEqualTo(1);

    assertThat(err.toString())
        .isEqualTo(taken + " is there already, and was not changed" + System.lineSeparator());
    assertThat(taken).hasContent("a key");
    assertThat(folder.resolve("one.example.com.pem")).doesNotExist();
    assertThat(folder.resolve("cluster-ca.pem")).doesNotExist();
  }

  @Test
  void shouldRequireBothFilesOfTheAuthority() throws Exception {
    assertThat(run(folder.toString(), "one.example.com")).isZero();
    Files.delete(folder.resolve("cluster-ca.key"));

    assertThat(run(folder.toString(), "two.example.com")).isEqualTo(1);

    assertThat(err.toString())
        .isEqualTo(
            "The file "
                + folder.resolve("cluster-ca.key")
                + " cannot be read."
                + System.lineSeparator());
    assertThat(folder.resolve("two.example.com.pem")).doesNotExist();
  }

  @Test
  void shouldNotOutliveTheAuthority() throws Exception {
    assertThat(run(folder.toString(), "one.example.com")).isZero();
    // A certificate of 3,650 days outlives an authority that was made a moment before.
    assertThat(run("--days", "3650", folder.toString(), "two.example.com")).isEqualTo(1);
    assertThat(err.toString()).contains("is valid until ");
    assertThat(folder.resolve("two.example.com.pem")).doesNotExist();
  }

  @Test
  void shouldRefuseWrongArguments() {
    assertRefused("expected the folder for the files, and 1 to 100 hosts", folder.toString());
    assertRefused("no host name and no address: 'a b'", folder.toString(), "a b");
    assertRefused("no host name and no address: '../x'", folder.toString(), "../x");
    assertRefused("the host 'a' is named twice", folder.toString(), "a", "A,b");
    assertRefused("--days: expected a number from 1 to 3650", folder.toString(), "a", "--days");
    assertRefused("--days: expected a number from 1 to 3650", "--days", "0", "f", "a");
  }

  private void assertRefused(String message, String... arguments) {
    assertThatThrownBy(() -> run(arguments))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
