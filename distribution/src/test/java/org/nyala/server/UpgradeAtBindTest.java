package org.nyala.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Tests passwords that are stored anew after a bind, in a store on disk. */
class UpgradeAtBindTest {
  private static final String BASE = "dc=example,dc=com";
  private static final String ARGON2 = "password.scheme = ARGON2";

  @TempDir Path folder;

  private static String name(int user) {
    return "uid=user" + user + ',' + BASE;
  }

  private static void add(LDAPConnection root, int users) throws LDAPException {
    root.add(BASE, new Attribute("objectClass", "domain"), new Attribute("dc", "example"));
    for (int i = 0; i < users; i++) {
      byte[] password = ("secret" + i).getBytes(UTF_8);
      root.add(
          name(i),
          new Attribute("objectClass", "account", "simpleSecurityObject"),
          new Attribute("uid", "user" + i),
          new Attribute(
              "userPassword",
              new String(
                  PasswordHash.create(PasswordScheme.SSHA, password, new Random(i)), US_ASCII)));
    }
  }

  private static String stored(LDAPConnection root, int user) throws LDAPException {
    String[] values = root.getEntry(name(user), "userPassword").getAttributeValues("userPassword");
    assertThat(values).hasSize(1);
    return values[0];
  }

  private static boolean isUpgraded(LDAPConnection root, int user) {
    try {
      return stored(root, user).startsWith("{ARGON2}");
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  /** Notes the names of changed entries. */
  private static final class Follower implements AsyncSearchResultListener {
    private static final long serialVersionUID = 1;

    private final transient List<String> changed = new CopyOnWriteArrayList<>();

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      changed.add(entry.getDN());
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {}

    @Override
    public void searchResultReceived(AsyncRequestID request, SearchResult result) {}
  }

  private static boolean isFollowed(LDAPConnection root, Follower follower) {
    try {
      root.modify(name(1), new Modification(ModificationType.REPLACE, "description", "fence"));
      return follower.changed.contains(name(1));
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  /** The default locale of the first has other digits, that of the second another small i. */
  @ParameterizedTest
  @ValueSource(strings = {"fa-IR", "tr-TR"})
  void shouldStoreTheSameInEachLocale(String locale) throws Exception {
    String[] parts = locale.split("-", -1);
    try (ServerProcess server =
            ServerProcess.start(
                folder, ARGON2, "-Duser.language=" + parts[0], "-Duser.country=" + parts[1]);
        LDAPConnection root = server.client("cn=admin", "admin")) {
      add(root, 1);
      server.client(name(0), "secret0").close();
      eventually("it is stored anew", () -> isUpgraded(root, 0));
      assertThat(stored(root, 0)).startsWith("{ARGON2}$argon2id$v=19$m=7168,t=5,p=1$");
      server.client(name(0).toUpperCase(Locale.ROOT), "secret0").close();
    }
  }

  @Test
  void shouldStoreWeakPasswordsByTheSchemeForNewOnes() throws Exception {
    try (RunningServer server = LocalServer.start(folder, ARGON2);
        LDAPConnection root = LocalServer.connectAsRoot(server);
        LDAPConnection following = LocalServer.connectAsRoot(server)) {
      add(root, 2);
      Follower follower = new Follower();
      SearchRequest changes = new SearchRequest(follower, BASE, SearchScope.SUB, "(uid=*)", "uid");
      changes.addControl(
          new PersistentSearchRequestControl(PersistentSearchChangeType.MODIFY, true, true));
      AsyncRequestID _ = following.asyncSearch(changes);
      eventually("it follows", () -> isFollowed(root, follower));
      try (LDAPConnection client = LocalServer.connect(server)) {
        client.bind(name(0), "secret0");
        eventually("it is stored anew", () -> isUpgraded(root, 0));
        eventually("it is followed", () -> follower.changed.contains(name(0)));
        client.bind(name(0), "secret0");
      }
      assertThat(isUpgraded(root, 1)).isFalse();
      assertThat(root.getEntry(name(0), "modifiersName").getAttributeValue("modifiersName"))
          .isEqualTo("cn=admin");
    }
  }

  @Test
  void shouldLeavePasswordsAsTheyAreIfAskedTo() throws Exception {
    try (RunningServer server =
            LocalServer.start(folder, ARGON2 + "\npassword.upgradeAtBind = false");
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      add(root, 1);
      try (LDAPConnection client = LocalServer.connect(server)) {
        client.bind(name(0), "secret0");
      }
      root.modify(BASE, new Modification(ModificationType.REPLACE, "description", "fence"));
      assertThat(isUpgraded(root, 0)).isFalse();
    }
  }

  /** The order of a command that changes a password: it binds, and changes with the old one. */
  @Test
  void shouldNotBeInTheWayOfChanges() throws Exception {
    int users = 2;
    try (RunningServer server = LocalServer.start(folder, ARGON2);
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      add(root, users);
      for (int i = 0; i < users; i++) {
        try (LDAPConnection client = LocalServer.connect(server)) {
          client.bind(name(i), "secret" + i);
          LDAPResult changed =
              client.processExtendedOperation(
                  new PasswordModifyExtendedRequest(null, "secret" + i, "better" + i));
          assertThat(changed.getResultCode().intValue()).as(changed.toString()).isZero();
        }
      }
      for (int i = 0; i < users; i++) {
        try (LDAPConnection client = LocalServer.connect(server)) {
          client.bind(name(i), "better" + i);
        }
      }
    }
  }

  /** Each password is stored in the old way or in the new one, whenever the server dies. */
  @Test
  void shouldLoseNothingWhenItIsKilled() throws Exception {
    int users = 8;
    long seed = Seeds.seed();
    List<Integer> order = new ArrayList<>(IntStream.range(0, users).boxed().toList());
    Collections.shuffle(order, new Random(seed));
    ServerProcess server = ServerProcess.start(folder, ARGON2);
    try (LDAPConnection root = server.client("cn=admin", "admin")) {
      add(root, users);
      for (int user : order) {
        server.client(name(user), "secret" + user).close();
      }
      eventually("the first is stored anew", () -> isUpgraded(root, order.getFirst()));
    }
    server.kill();
    try (RunningServer again =
            LocalServer.start(folder, ARGON2 + "\npassword.upgradeAtBind = false");
        LDAPConnection root = LocalServer.connectAsRoot(again)) {
      int upgraded = 0;
      for (int i = 0; i < users; i++) {
        upgraded += isUpgraded(root, i) ? 1 : 0;
        try (LDAPConnection client = LocalServer.connect(again)) {
          client.bind(name(i), "secret" + i);
        }
      }
      assertThat(upgraded).as("seed %d", seed).isBetween(1, users);
    }
  }
}
