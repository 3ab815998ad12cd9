package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadResponseControl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Compares servers of which one completes, by its configuration, what some entries store. */
class CompletedAttributesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "cn=ann," + TOP;
  private static final String BOB = "cn=bob," + TOP;
  private static final String COMPLETED = "pwdPolicySubentry";
  private static final String DATA =
      """
      dn: dc=example,dc=com
      objectClass: domain
      dc: example

      dn: cn=policy,dc=example,dc=com
      objectClass: device
      objectClass: pwdPolicy
      pwdAttribute: userPassword

      dn: cn=ann,dc=example,dc=com
      objectClass: person
      sn: A
      userPassword: {CLEARTEXT}secret

      dn: cn=bob,dc=example,dc=com
      objectClass: person
      sn: B
      userPassword: {CLEARTEXT}secret
      pwdPolicySubentry: cn=policy,dc=example,dc=com

      """;

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  /** Serves the same entries as other servers, with identifiers and stamps. */
  private RunningServer serving(String name, Path ldif, String configuration) throws Exception {
    Path own = Files.createDirectories(folder.resolve(name));
    Path conf = ServerProcess.configure(own, configuration);
    nyala.shouldSucceed(conf, "import", ldif.toString());
    return LocalServer.startFrom(conf, own);
  }

  @Test
  void shouldCompareWhatIsStored() throws Exception {
    Path first = Files.writeString(folder.resolve("first.ldif"), DATA);
    Path conf = ServerProcess.configure(Files.createDirectories(folder.resolve("first")), "");
    Path ldif = folder.resolve("all.ldif");
    nyala.shouldSucceed(conf, "import", first.toString());
    nyala.shouldSucceed(conf, "export", "-o", ldif.toString());
    String password = Files.writeString(folder.resolve("password"), "admin\n").toString();
    try (RunningServer plain = serving("plain", ldif, "");
        RunningServer completing =
            serving("completing", ldif, "passwordPolicy.default = \"cn=policy," + TOP + "\"");
        LDAPConnection root = LocalServer.connectAsRoot(completing)) {
      String[] compare = {
        "sync",
        "compare",
        "ldap://127.0.0.1:" + LocalServer.port(plain),
        "ldap://127.0.0.1:" + LocalServer.port(completing),
        "--base=" + TOP,
        "--bind-dn=cn=admin",
        "--password-file=" + password
      };
      assertThat(nyala.run(conf, compare)).as(nyala.out() + nyala.err()).isEqualTo(ExitCode.OK);
      assertThat(nyala.out()).contains("4 entries are at both servers, 0 differ");
      assertThat(isStored(root, ANN)).isFalse();
      assertThat(isStored(root, BOB)).isTrue();
      root.modify(BOB, new Modification(ModificationType.DELETE, COMPLETED));
      assertThat(nyala.run(conf, compare)).isEqualTo(ExitCode.UNSOUND);
      assertThat(nyala.out()).contains("differs: " + BOB, COMPLETED.toLowerCase(Locale.ROOT));
    }
  }

  /** Returns whether an entry stores the attribute; all show it that have a password. */
  private static boolean isStored(LDAPConnection root, String dn) throws LDAPException {
    SearchRequest search = new SearchRequest(dn, SearchScope.BASE, "(objectClass=*)", "*", "+");
    assertThat(root.searchForEntry(search).hasAttribute(COMPLETED)).isTrue();
    search.addControl(new ManageDsaITRequestControl(true));
    boolean isStored = root.searchForEntry(search).hasAttribute(COMPLETED);
    ModifyRequest modify =
        new ModifyRequest(dn, new Modification(ModificationType.REPLACE, "description"));
    modify.addControl(new PostReadRequestControl("*", "+"));
    assertThat(PostReadResponseControl.get(root.modify(modify)).getEntry().hasAttribute(COMPLETED))
        .isTrue();
    modify.addControl(new ManageDsaITRequestControl(true));
    assertThat(PostReadResponseControl.get(root.modify(modify)).getEntry().hasAttribute(COMPLETED))
        .isEqualTo(isStored);
    return isStored;
  }
}
