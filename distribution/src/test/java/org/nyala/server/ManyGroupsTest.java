package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.core.Patience;
import org.nyala.process.LocalServer;

/**
 * Serves a user who is in very many groups, and reads an entry of very many values, by access
 * rules, while an owner changes an unrelated group all the time.
 */
@Timeout(300)
class ManyGroupsTest extends HiddenPlaceTestCase {
  private static final String OWNER = "uid=owner," + TOP;
  private static final String OTHER = "cn=other," + TOP;
  private static final String LARGE = "cn=large," + TOP;
  private static final int GROUPS = 5000;
  private static final int AT_ONCE = 250;
  private static final int VALUES = 100_000;
  private static final int SEARCHES = Integer.getInteger("nyala.test.groupSearches", 60);

  /** The client's groups are looked up, because a rule names one. */
  private static final String RULES =
      """
      to entry "cn=other,dc=example,dc=com" attributes member
        entry "uid=owner,dc=example,dc=com" may read, write
      to attributes description
        group "cn=g7,dc=example,dc=com" may read
        others may nothing
      to all
        users may read
      """;

  @BeforeEach
  void fill() throws Exception {
    serve(RULES, List.of(ANN, OWNER));
    root.add("dn: " + OTHER, "objectClass: groupOfNames", "member: cn=nobody");
    addGroups();
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    options.setMaxMessageSize(64 << 20);
    ann = new LDAPConnection(options, "127.0.0.1", LocalServer.port(server), ANN, "pw");
  }

  /** Every fifth group is hidden. */
  private static String group(int number) {
    return "cn=g" + number + "," + (number % 5 == 0 ? CLOSED : TOP);
  }

  private void addGroups() throws Exception {
    for (int begin = 0; begin < GROUPS; begin += AT_ONCE) {
      List<AsyncRequestID> added = new ArrayList<>();
      for (int i = begin; i < begin + AT_ONCE; i++) {
        AddRequest request =
            new AddRequest("dn: " + group(i), "objectClass: groupOfNames", "member: " + ANN);
        added.add(root.asyncAdd(request, null));
      }
      for (AsyncRequestID each : added) {
        assertThat(Patience.get(each).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      }
    }
  }

  private static Set<String> visibleGroups() {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < GROUPS; i++) {
      if (i % 5 != 0) {
        names.add(group(i));
      }
    }
    return names;
  }

  /** Adds and removes a member of a group that no search is about, until told to end. */
  private int toggle(AtomicBoolean isEnd) {
    try (LDAPConnection owner = LocalServer.connect(server)) {
      owner.bind(OWNER, "pw");
      int changes = 0;
      while (!isEnd.get()) {
        ModificationType type = changes % 2 == 0 ? ModificationType.ADD : ModificationType.DELETE;
        owner.modify(OTHER, new Modification(type, "member", OWNER));
        changes++;
      }
      return changes;
    } catch (LDAPException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldServeAMemberOfManyGroupsWhileAnotherGroupChanges() throws Exception {
    AtomicBoolean isEnd = new AtomicBoolean();
    CompletableFuture<Integer> changes = CompletableFuture.supplyAsync(() -> toggle(isEnd));
    Map<ResultCode, Integer> answers = new HashMap<>();
    try {
      for (int i = 0; i < SEARCHES; i++) {
        ResultCode code;
        try {
          String filter = i % 2 == 0 ? "(uid=ann)" : "(description=for g7)";
          code = ann.search(TOP, SearchScope.SUB, filter, "description").getResultCode();
        } catch (LDAPSearchException e) {
          code = e.getResultCode();
        }
        answers.merge(code, 1, Integer::sum);
        if (i % 10 == 0) {
          SearchResultEntry read = ann.getEntry(ANN, "memberOf");
          assertThat(read).isNotNull();
          assertThat(read.getAttributeValues("memberOf"))
              .containsExactlyInAnyOrderElementsOf(visibleGroups());
        }
      }
    } finally {
      isEnd.set(true);
    }
    assertThat(Patience.get(changes)).isPositive();
    assertThat(answers).containsExactly(Map.entry(ResultCode.SUCCESS, SEARCHES));
  }

  @Test
  void shouldReadAnEntryOfVeryManyValuesByRules() throws Exception {
    String[] values = IntStream.range(0, VALUES).mapToObj(i -> "user." + i).toArray(String[]::new);
    root.add(
        LARGE,
        new Attribute("objectClass", "posixGroup"),
        new Attribute("cn", "large"),
        new Attribute("gidNumber", "1"),
        new Attribute("memberUid", values));
    SearchResultEntry read = ann.getEntry(LARGE, "memberUid");
    assertThat(read).isNotNull();
    assertThat(new HashSet<>(List.of(read.getAttributeValues("memberUid"))))
        .isEqualTo(new HashSet<>(List.of(values)));
  }
}
