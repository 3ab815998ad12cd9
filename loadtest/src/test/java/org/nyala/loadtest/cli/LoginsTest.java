package org.nyala.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSimpleBindResult;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.util.json.JSONObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.loadtest.engine.LoadTester;

class LoginsTest {
  private static final int PEOPLE = 20;

  private final LoadTester tester = new LoadTester();
  private final Map<String, Integer> right = new ConcurrentHashMap<>();
  private final Map<String, Integer> wrong = new ConcurrentHashMap<>();
  private InMemoryDirectoryServer server;

  @BeforeEach
  void start() throws Exception {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example,dc=com");
    config.setSchema(null);
    config.addInMemoryOperationInterceptor(
        new InMemoryOperationInterceptor() {
          @Override
          public void processSimpleBindResult(InMemoryInterceptedSimpleBindResult result) {
            boolean isRight = result.getResult().getResultCode() == ResultCode.SUCCESS;
            String dn = result.getRequest().getBindDN();
            (isRight ? right : wrong).merge(dn, 1, Integer::sum);
          }
        });
    server = new InMemoryDirectoryServer(config);
    server.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
    for (int user = 0; user < PEOPLE; user++) {
      // The fourth and the eighth have other passwords than the rule says.
      server.add(
          "dn: uid=user." + user + ",dc=example,dc=com",
          "objectClass: account",
          "uid: user." + user,
          "userPassword: " + (user % 4 == 3 && user < 8 ? "other" : "password." + user));
    }
    server.startListening();
  }

  @AfterEach
  void stop() {
    server.shutDown(true);
  }

  private int run(String job, int users, String... more) {
    String[] words = new String[8 + more.length];
    words[0] = job;
    words[1] = "--url=ldap://localhost:" + server.getListenPort();
    words[2] = "--people=dc=example,dc=com";
    words[3] = "--users=" + users;
    words[4] = "--connections=4";
    words[5] = "--threads=2";
    words[6] = "--operations=50";
    words[7] = "--warmup-seconds=0";
    System.arraycopy(more, 0, words, 8, more.length);
    return tester.runWithTrial(words);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bind", "authenticate", "connect"})
  void shouldLogInAsEachPersonBeforeTheLoad(String job, @TempDir Path folder) throws Exception {
    Path json = folder.resolve("report.json");

    assertThat(run(job, 3, "--json=" + json)).as(tester.err()).isZero();

    assertThat(tester.err()).contains("logged in before the load: 3 of 3 people, in ");
    assertThat(tester.out())
        .contains("logins: 200, of which 0 were the first one of a person\n")
        .contains("password scheme: clear text (of uid=user.0,dc=example,dc=com)");
    JSONObject report = new JSONObject(Files.readString(json));
    assertThat(report.getFieldAsInteger("firstLogins")).isZero();
    assertThat(right).hasSize(3);
  }

  @Test
  void shouldCountFirstLoginsOfTheLoad() {
    assertThat(run("bind", 3, "--first-logins=0", "--no-trial")).isZero();

    assertThat(tester.out()).contains("logins: 200, of which 3 were the first one of a person");
  }

  @Test
  void shouldNotTryAWrongPasswordAgain() {
    assertThat(run("bind", 8)).isEqualTo(1);

    assertThat(tester.out()).contains("logins: 200, of which 0 were the first one of a person");
    assertThat(wrong.keySet())
        .containsExactlyInAnyOrder("uid=user.3,dc=example,dc=com", "uid=user.7,dc=example,dc=com");
    assertThat(wrong.values()).containsOnly(1);
  }

  @Test
  void shouldShowSchemesWithoutHashes() {
    assertThat(FirstLogins.label("{SSHA512}abcdef")).isEqualTo("{SSHA512}");
    assertThat(FirstLogins.label("{ARGON2}$argon2id$v=19$m=7168")).isEqualTo("{ARGON2}");
    assertThat(FirstLogins.label("{CRYPT}$6$rounds=5000$salt$hash")).isEqualTo("{CRYPT}$6$");
    assertThat(FirstLogins.label("{x")).isEqualTo("clear text");
  }
}
