package org.nyala.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.AccountsMXBean;
import org.nyala.process.LocalServer;
import org.nyala.server.MeteredBeans;
import org.nyala.server.RunningServer;

/** Compares what password policies do with the security log, the metrics and the bean. */
@Timeout(300)
class AccountEventsTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String POLICY = "cn=policy," + TOP;
  private static final String ANN = "uid=ann," + TOP;
  private static final int MOST = 3;

  @TempDir Path folder;

  private final MBeanServer registry = MBeanServerFactory.newMBeanServer();
  private RunningServer server;
  private ManagementBeans beans;
  private MeteredBeans.Accounts accounts;
  private LDAPConnection root;

  @BeforeEach
  void serve() throws Exception {
    server =
        LocalServer.start(
            folder,
            """
            passwordPolicy { default = "%s", lastBind = true }
            access.selfPasswordChange = true
            management.http = "127.0.0.1:0"
            guessing { failuresPerSource = 0, failuresPerName = 0, failuresPerKnownSource = 0 }
            """
                .formatted(POLICY));
    beans = server.register(registry);
    accounts =
        JMX.newMXBeanProxy(
            registry, new ObjectName(AccountsMXBean.NAME), MeteredBeans.Accounts.class);
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add(
        "dn: " + POLICY,
        "objectClass: device",
        "objectClass: pwdPolicy",
        "pwdAttribute: userPassword",
        "pwdLockout: TRUE",
        "pwdMaxFailure: " + MOST,
        "pwdMaxAge: 1000000",
        "pwdGraceAuthNLimit: 1",
        "pwdMustChange: TRUE",
        "pwdMinLength: 5",
        "pwdCheckQuality: 1");
    root.add(
        "dn: " + ANN, "objectClass: inetOrgPerson", "cn: Ann", "sn: A", "userPassword: secret");
  }

  @AfterEach
  void stop() {
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    beans.close();
    root.close();
    server.close();
  }

  private int bind(String password) throws Exception {
    return LoggedBinds.bind(
        LocalServer.port(server), SocketFactory.getDefault(), new SimpleBindRequest(ANN, password));
  }

  /** Waits for as many lines of an event, and returns them without time and place. */
  private List<String> lines(String event, int count) throws Exception {
    List<String> found = new ArrayList<>();
    eventually(
        count + " lines of " + event,
        () -> {
          found.clear();
          LoggedBinds.lines(folder).stream()
              .filter(line -> line.contains(" " + event + " "))
              .map(
                  line ->
                      line.replaceFirst(
                          "^\\S+ \\S+ (from=127\\.0\\.0\\.1 port=\\d+ conn=\\d+ op=\\d+ )?", "$1"))
              .map(line -> line.replaceFirst("^from=\\S+ port=\\d+ conn=\\d+ op=\\d+", "from"))
              .forEach(found::add);
          return found.size() == count;
        });
    return found;
  }

  private double metric(String name) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.httpAddress().orElseThrow().getPort());
    String body =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(uri.resolve("/metrics")).build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    return body.lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + name + " in " + body));
  }

  @Test
  void shouldTellOfLocksAndOfTheirEnd() throws Exception {
    for (int i = 0; i < MOST; i++) {
      assertThat(bind("wrong")).isEqualTo(49);
    }
    assertThat(bind("secret")).isEqualTo(49);
    assertThat(lines("account-locked", 1)).containsExactly("from entry=\"" + ANN + "\"");
    assertThat(accounts.show(ANN).lock()).isEqualTo("wrong-passwords");
    assertThat(accounts.unlock(ANN).usable()).isTrue();
    assertThat(bind("secret")).isZero();
    assertThat(accounts.lock(ANN).lock()).isEqualTo("for-good");
    assertThat(accounts.list("locked", 0, 10, 10).names()).containsExactly(ANN);
    assertThat(lines("account-administered", 2))
        .containsExactly(
            "via=process action=unlock entry=\"" + ANN + "\"",
            "via=process action=lock entry=\"" + ANN + "\"");
    assertThat(accounts.getLocked()).isEqualTo(1);
    assertThat(accounts.getRefusedLocked()).isEqualTo(1);
    assertThat(metric("ldap_server_accounts_locked_total")).isEqualTo(1);
    assertThat(metric("ldap_server_logins_refused_total{reason=\"account-locked\"}")).isEqualTo(1);
  }

  @Test
  void shouldTellOfPasswordsThatHaveExpired() throws Exception {
    assertThat(bind("secret")).isZero();
    eventually("recorded", () -> accounts.getLastLoginsRecorded() == 1);
    assertThat(accounts.expire(ANN).expired()).isTrue();
    assertThat(bind("secret")).isZero();
    assertThat(bind("secret")).isEqualTo(49);
    assertThat(lines("bind", 3).getLast())
        .isEqualTo(
            "from code=0 policy=grace-login ssf=0 mech=\"SIMPLE\" dn=\"%s\" entry=\"%s\""
                .formatted(ANN, ANN));
    assertThat(lines("bind-failed", 1).getFirst())
        .startsWith("from code=49 reason=password-expired ssf=0 ");
    assertThat(accounts.getGraceLogins()).isEqualTo(1);
    assertThat(accounts.getRefusedExpired()).isEqualTo(1);
    assertThat(metric("ldap_server_logins_grace_total")).isEqualTo(1);
  }

  @Test
  void shouldTellOfNewPasswords() throws Exception {
    root.modify(ANN, new Modification(ModificationType.REPLACE, "userPassword", "another"));
    assertThat(accounts.getLoginsToChange()).isZero();
    assertThat(lines("password-reset", 1))
        .containsExactly(
            "from code=0 operation=modify identity=\"cn=admin\" target=\"" + ANN + "\"");
    try (LDAPConnection ann = LocalServer.connect(server)) {
      ann.bind(ANN, "another");
      PasswordModifyExtendedRequest tooShort =
          new PasswordModifyExtendedRequest(null, "another", "abc");
      assertThat(ann.processExtendedOperation(tooShort).getResultCode().intValue()).isEqualTo(19);
      PasswordModifyExtendedRequest good =
          new PasswordModifyExtendedRequest(null, "another", "longer");
      assertThat(ann.processExtendedOperation(good).getResultCode().intValue()).isZero();
    }
    assertThat(lines("bind", 2).getLast()).startsWith("from code=0 policy=must-change-password ");
    assertThat(lines("password-changed", 1))
        .containsExactly(
            "from code=0 operation=extended identity=\"%s\" target=\"%s\"".formatted(ANN, ANN));
    assertThat(accounts.getLoginsToChange()).isEqualTo(1);
    assertThat(accounts.getPasswordsRefused()).containsEntry("password-too-short", 1L);
    assertThat(metric("ldap_server_password_changes_refused_total{reason=\"password-too-short\"}"))
        .isEqualTo(1);
    StartTransactionExtendedResult begun =
        (StartTransactionExtendedResult)
            root.processExtendedOperation(new StartTransactionExtendedRequest());
    root.modify(
        new ModifyRequest(
            ANN,
            List.of(new Modification(ModificationType.REPLACE, "userPassword", "third")),
            new com.unboundid.ldap.sdk.Control[] {
              new TransactionSpecificationRequestControl(begun.getTransactionID())
            }));
    root.processExtendedOperation(
        new EndTransactionExtendedRequest(begun.getTransactionID(), true));
    assertThat(lines("password-reset", 2).getLast()).startsWith("from code=0 operation=extended ");
    assertThat(LoggedBinds.lines(folder))
        .noneMatch(
            line -> line.contains("another") || line.contains("longer") || line.contains("third"));
  }

  @Test
  void shouldRefuseWhatMakesNoSense() throws Exception {
    assertThatIllegalArgumentException().isThrownBy(() -> accounts.show("no DN"));
    assertThatIllegalArgumentException().isThrownBy(() -> accounts.list("lost", 0, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> accounts.list("idle", -1, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> accounts.list("idle", 0, 0, 1));
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> accounts.lock("uid=nobody," + TOP))
        .withMessageContaining("no such entry");
    root.modify(POLICY, new Modification(ModificationType.DELETE, "pwdMaxAge"));
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> accounts.expire(ANN))
        .withMessageContaining("pwdMaxAge");
  }
}
