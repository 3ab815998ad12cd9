package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.process.LocalServer;

/** Tests entries that are sent in several slices, while they change. */
class LargeEntriesTest {
  private static final String BASE = "dc=example,dc=com";
  private static final String GROUP = "cn=staff," + BASE;
  private static final int MEMBERS = 60_000;
  private static final int READS = 25;

  private static final int SHRINKS = 5;

  /** Less than the message with all members takes. */
  private static final long MESSAGE_BYTES = 256 << 10;

  /** The changes that a follower has yet to be told of when the next one is made. */
  private static final int AHEAD = 3;

  @TempDir Path folder;
  private RunningServer server;
  private LDAPConnection writer;

  @BeforeEach
  void start() throws Exception {
    server = LocalServer.start(folder, "");
    writer = LocalServer.connectAsRoot(server);
    writer.add("dn: " + BASE, "objectClass: domain", "dc: example");
    writer.add(
        GROUP,
        new Attribute("objectClass", "posixGroup"),
        new Attribute("cn", "staff"),
        new Attribute("gidNumber", "1"),
        new Attribute("description", "-1"),
        new Attribute("memberUid", members()));
  }

  @AfterEach
  void stop() {
    writer.close();
    server.close();
  }

  private static String[] members() {
    return IntStream.range(0, MEMBERS).mapToObj(i -> "user." + i).toArray(String[]::new);
  }

  /** Replaces one member by another, and tells its number in the description. */
  private void change(int number) throws LDAPException {
    writer.modify(
        GROUP,
        new Modification(ModificationType.DELETE, "memberUid", "user." + number),
        new Modification(ModificationType.ADD, "memberUid", "new." + number),
        new Modification(ModificationType.REPLACE, "description", Integer.toString(number)));
  }

  /** Checks that an entry shows the state after the change that its description tells. */
  private static void assertOneState(Entry entry) {
    int last = entry.getAttributeValueAsInteger("description");
    assertStateAfter(last, Set.of(entry.getAttributeValues("memberUid")));
  }

  private static void assertStateAfter(int last, Set<String> members) {
    Set<String> left = new HashSet<>(members);
    assertThat(left).hasSize(MEMBERS);
    for (int i = 0; i < MEMBERS; i++) {
      assertThat(left.remove((i <= last ? "new." : "user.") + i)).as("member %d", i).isTrue();
    }
  }

  private LDAPConnection reader() throws LDAPException {
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    options.setMaxMessageSize(64 << 20);
    LDAPConnection reader =
        new LDAPConnection(options, "127.0.0.1", LocalServer.port(server), "cn=admin", "admin");
    return reader;
  }

  private void shouldReadOneState(Control... controls) throws Exception {
    SearchRequest request =
        new SearchRequest(BASE, SearchScope.SUB, "(cn=staff)", "memberUid", "description");
    request.setControls(controls);
    AtomicBoolean isRead = new AtomicBoolean();
    CompletableFuture<Integer> changes =
        CompletableFuture.supplyAsync(
            () -> {
              int number = 0;
              try {
                while (!isRead.get() && number < MEMBERS) {
                  change(number++);
                }
              } catch (LDAPException e) {
                throw new AssertionError(e);
              }
              return number;
            });
    try (LDAPConnection reader = reader()) {
      for (int i = 0; i < READS; i++) {
        assertOneState(reader.search(request).getSearchEntries().getFirst());
      }
    } finally {
      isRead.set(true);
    }
    assertThat(changes.get()).isGreaterThan(READS);
  }

  @Test
  void shouldShowOneStateOfAnEntryThatChanges() throws Exception {
    shouldReadOneState();
  }

  @Test
  void shouldShowOneStateOfAnEntryInASortedList() throws Exception {
    shouldReadOneState(new ServerSideSortRequestControl(true, new SortKey("cn")));
  }

  /** Begins to follow changes; the entry as it is comes first, and all that follow behind it. */
  private static AsyncRequestID follow(
      LDAPConnection reader, SearchRequest request, Followed followed) throws LDAPException {
    AsyncRequestID id = reader.asyncSearch(request);
    eventually("it follows", () -> !followed.entries.isEmpty());
    return id;
  }

  @Test
  void shouldTellFollowersOneState() throws Exception {
    Followed followed = new Followed();
    SearchRequest request =
        new SearchRequest(
            followed, BASE, SearchScope.SUB, "(cn=staff)", "memberUid", "description");
    request.addControl(
        new PersistentSearchRequestControl(
            EnumSet.of(PersistentSearchChangeType.MODIFY), false, true, true));
    request.setSizeLimit(1 + READS);
    try (LDAPConnection reader = reader()) {
      AsyncRequestID id = follow(reader, request, followed);
      for (int i = 0; i <= READS; i++) {
        change(i);
        int due = 1 + i - AHEAD;
        eventually("entries arrive", () -> followed.entries.size() > due);
      }
      assertThat(Patience.get(id).getResultCode()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
    }
    assertThat(followed.entries).hasSize(1 + READS);
    for (SearchResultEntry entry : followed.entries) {
      // The description is that of the change, the members are those after it or a later one.
      int told = entry.getAttributeValueAsInteger("description");
      Set<String> members = Set.of(entry.getAttributeValues("memberUid"));
      int last = (int) members.stream().filter(name -> name.startsWith("new.")).count() - 1;
      assertThat(last).isGreaterThanOrEqualTo(told);
      assertStateAfter(last, members);
    }
  }

  @Test
  void shouldGiveBackTheMemoryOfEntriesThatShrinkMeanwhile() throws Exception {
    Followed followed = new Followed();
    SearchRequest request =
        new SearchRequest(
            followed, BASE, SearchScope.SUB, "(cn=staff)", "memberUid", "description");
    request.addControl(
        new PersistentSearchRequestControl(
            EnumSet.allOf(PersistentSearchChangeType.class), false, true, true));
    try (LDAPConnection reader = reader()) {
      AsyncRequestID id = follow(reader, request, followed);
      for (int i = 0; i < SHRINKS; i++) {
        change(i);
        writer.modify(GROUP, new Modification(ModificationType.REPLACE, "memberUid", "one"));
        int told = 1 + 3 * i + 2;
        eventually("both are told", () -> followed.entries.size() == told);
        MemoryBudget memory = server.served().directory().memory();
        eventually("no message is held", () -> memory.held() < MESSAGE_BYTES);
        writer.modify(GROUP, new Modification(ModificationType.REPLACE, "memberUid", members()));
        eventually("the growth is told", () -> followed.entries.size() == told + 1);
      }
      reader.abandon(id);
    }
  }

  @Test
  void shouldGiveBackTheMemoryOfEntriesThatAreNotWanted() throws Exception {
    SearchRequest request = new SearchRequest(GROUP, SearchScope.BASE, "(cn=staff)", "memberUid");
    for (int i = 0; i < READS; i++) {
      try (LDAPConnection reader = reader()) {
        AsyncRequestID id = reader.asyncSearch(withListener(request));
        if (i % 2 == 0) {
          reader.abandon(id);
        }
      }
    }
    MemoryBudget memory = server.served().directory().memory();
    eventually("nothing is held", () -> memory.held() == 0);
    assertOneState(writer.getEntry(GROUP, "memberUid", "description"));
  }

  private static SearchRequest withListener(SearchRequest request) {
    return new SearchRequest(
        new Followed(),
        request.getBaseDN(),
        request.getScope(),
        request.getFilter(),
        request.getAttributes());
  }
}
