package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPURL;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.server.RunningServer;

/** Moves a slapd that is a copy of another one, which goes on as the provider. */
class MigratedCopyTest {
  private static final String PERSON = "cn=ann," + SyncSlapd.SUFFIX;

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  /** Stops the copy, and makes a configuration and a dump of it. */
  private Path migrate(SyncSlapd copy, Path slapd) throws Exception {
    copy.stop();
    Path dump = folder.resolve("dump.ldif");
    Processes.run(
            folder,
            Map.of(),
            List.of("/usr/sbin/slapcat", "-f", slapd.toString(), "-l", dump.toString()))
        .shouldSucceed();
    Path target = folder.resolve("etc");
    assertThat(
            nyala.run(
                "migrate",
                slapd.toString(),
                dump.toString(),
                "--to=" + target,
                "--data=" + folder.resolve("data"),
                "--write"))
        .as(nyala.out() + nyala.err())
        .isZero();
    Path conf = target.resolve("nyala.conf");
    Files.writeString(
        conf,
        Files.readString(conf)
            .replaceFirst("listeners = .*", "listeners = [\"ldap://127.0.0.1:0\"]"));
    nyala.shouldSucceed(conf, "import", dump.toString());
    return conf;
  }

  @Test
  void shouldFollowTheProviderOfTheSlapdThatItReplaces() throws Exception {
    Path own = Files.createDirectory(folder.resolve("copy"));
    try (SyncSlapd provider =
            SyncSlapd.provider(Files.createDirectory(folder.resolve("provider")));
        SyncSlapd copy = SyncSlapd.copyOf(own, provider.url())) {
      provider.addTop();
      SyncedServers.awaitEqual(provider.access(), copy.access());
      Path conf = migrate(copy, own.resolve("slapd.conf"));

      try (RunningServer server = LocalServer.startFrom(conf, folder);
          LDAPConnection writer = provider.client();
          LDAPConnection reader =
              new LDAPConnection(
                  "127.0.0.1", LocalServer.port(server), SyncSlapd.ADMIN, SyncSlapd.PASSWORD)) {
        writer.add("dn: " + PERSON, "objectClass: person", "cn: ann", "sn: A");
        SyncedServers.awaitEqual(
            provider.access(),
            SyncedServers.access(
                "ldap://127.0.0.1:" + LocalServer.port(server),
                SyncSlapd.ADMIN,
                SyncSlapd.PASSWORD));

        assertThat(reader.getEntry(PERSON)).isNotNull();
        assertThatThrownBy(
                () ->
                    reader.modify(
                        PERSON, new Modification(ModificationType.REPLACE, "sn", "changed")))
            .isInstanceOfSatisfying(
                LDAPException.class,
                e -> {
                  assertThat(e.getResultCode()).isEqualTo(ResultCode.REFERRAL);
                  assertThat(e.getReferralURLs()).hasSize(1);
                  assertThat(port(e.getReferralURLs()[0])).isEqualTo(port(provider.url()));
                });
      }
    }
  }

  private static int port(String url) {
    try {
      return new LDAPURL(url).getPort();
    } catch (LDAPException e) {
      throw new AssertionError(url, e);
    }
  }
}
