package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.replica.SyncedServers.access;
import static org.nyala.replica.SyncedServers.awaitEqual;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Remembered logins of a server and of its copy, while passwords change that others have sent. */
@Timeout(300)
class CopiedLoginsTest {
  private static final String PEOPLE = "ou=people," + SyncSlapd.SUFFIX;

  /** Little work for a hash, and no budget of wrong passwords. */
  private static final String SETTINGS =
      """
      password { scheme = ARGON2, argon2Kibibytes = 1024, argon2Passes = 1 }
      guessing { failuresPerSource = 0, failuresPerName = 0, failuresPerKnownSource = 0 }
      """;

  private static final List<String> WORDS = List.of("one", "two", "three");
  private static final int PEOPLE_NUMBER = 3;

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);

  /** The password of each person; empty for one that is gone. */
  private final String[] model = new String[PEOPLE_NUMBER];

  /** The number in the name of each. */
  private final int[] names = {0, 1, 2};

  private int nextName = PEOPLE_NUMBER;

  @TempDir Path folder;

  private String name(int who) {
    return "uid=p" + names[who] + ',' + PEOPLE;
  }

  private String word() {
    return WORDS.get(random.nextInt(WORDS.size()));
  }

  private void add(LDAPConnection client, int who) throws Exception {
    model[who] = word();
    client.add(
        "dn: " + name(who),
        "objectClass: inetOrgPerson",
        "uid: p" + names[who],
        "cn: p",
        "sn: p",
        "userPassword: " + model[who]);
  }

  private void populate(LDAPConnection client) throws Exception {
    client.add(
        "dn: " + SyncSlapd.SUFFIX,
        "objectClass: organization",
        "objectClass: dcObject",
        "o: x",
        "dc: example");
    client.add("dn: " + PEOPLE, "objectClass: organizationalUnit", "ou: people");
    for (int who = 0; who < PEOPLE_NUMBER; who++) {
      add(client, who);
    }
  }

  /** Changes a password, or takes an entry away and brings it back, or another name. */
  private void change(LDAPConnection client) throws Exception {
    int who = random.nextInt(PEOPLE_NUMBER);
    boolean isThere = !model[who].isEmpty();
    switch (random.nextInt(4)) {
      case 0 -> {
        if (isThere) {
          client.delete(name(who));
          model[who] = "";
        } else {
          add(client, who);
        }
      }
      case 1 -> {
        if (isThere) {
          String old = name(who);
          names[who] = nextName++;
          client.modifyDN(old, "uid=p" + names[who], true);
        }
      }
      default -> {
        if (isThere) {
          model[who] = word();
          client.modify(
              name(who), new Modification(ModificationType.REPLACE, "userPassword", model[who]));
        }
      }
    }
  }

  private void login(RunningServer server) throws LDAPException {
    int who = random.nextInt(PEOPLE_NUMBER);
    String sent = word();
    ResultCode expected =
        sent.equals(model[who]) ? ResultCode.SUCCESS : ResultCode.INVALID_CREDENTIALS;
    assertThat(code(server, name(who), sent))
        .as("%s, %s, seed %d", name(who), sent, seed)
        .isEqualTo(expected);
  }

  private static ResultCode code(RunningServer server, String name, String password)
      throws LDAPException {
    try (LDAPConnection user = LocalServer.connect(server)) {
      return user.bind(name, password).getResultCode();
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  private static long remembered(RunningServer server) {
    return server.served().directory().metrics().passwordsRemembered().sum();
  }

  @Test
  void shouldForgetWhatAnotherServerHasChanged() throws Exception {
    Path one = Files.createDirectories(folder.resolve("one"));
    Path other = Files.createDirectories(folder.resolve("other"));
    try (RunningServer provider = LocalServer.start(one, "serverId = 1\n" + SETTINGS);
        LDAPConnection root = LocalServer.connectAsRoot(provider)) {
      populate(root);
      String url = "ldap://127.0.0.1:" + LocalServer.port(provider);
      try (RunningServer copy =
          LocalServer.start(
              other, "serverId = 2\n" + SETTINGS + consuming(url, "cn=admin", "admin"))) {
        for (int round = 0; round < 12; round++) {
          awaitEqual(access(provider), access(copy));
          for (int i = 0; i < 20; i++) {
            login(provider);
            login(copy);
          }
          change(root);
        }
        assertThat(remembered(provider)).isPositive();
        assertThat(remembered(copy)).isPositive();
      }
    }
  }

  /** A restart with the data of yesterday: the password of today is that of nobody. */
  @Test
  void shouldForgetWhatARestoreTakesBack() throws Exception {
    Path home = Files.createDirectories(folder.resolve("home"));
    Path configuration = ServerProcess.configure(home, SETTINGS);
    String backup = folder.resolve("backup").toString();
    LocalCommands nyala = new LocalCommands();
    try (RunningServer server = LocalServer.start(home, SETTINGS);
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      populate(root);
    }
    nyala.shouldSucceed(configuration, "backup", backup);
    try (RunningServer server = LocalServer.start(home, SETTINGS);
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.modify(name(0), new Modification(ModificationType.REPLACE, "userPassword", "of today"));
      for (int i = 0; i < 2; i++) {
        assertThat(code(server, name(0), "of today")).isEqualTo(ResultCode.SUCCESS);
      }
      assertThat(remembered(server)).isEqualTo(1);
    }
    nyala.shouldSucceed(configuration, "restore", backup);
    try (RunningServer server = LocalServer.start(home, SETTINGS)) {
      assertThat(code(server, name(0), "of today")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
      for (int i = 0; i < 2; i++) {
        assertThat(code(server, name(0), model[0])).isEqualTo(ResultCode.SUCCESS);
      }
      assertThat(remembered(server)).isEqualTo(1);
    }
  }
}
