package org.nyala.visibility;

import static com.unboundid.ldap.sdk.ResultCode.ASSERTION_FAILED;
import static com.unboundid.ldap.sdk.ResultCode.COMPARE_FALSE;
import static com.unboundid.ldap.sdk.ResultCode.COMPARE_TRUE;
import static org.nyala.core.Patience.eventually;
import static org.nyala.visibility.AskedAttribute.ANN;
import static org.nyala.visibility.AskedAttribute.CLOSED;
import static org.nyala.visibility.AskedAttribute.HASH;
import static org.nyala.visibility.AskedAttribute.HIDDEN;
import static org.nyala.visibility.AskedAttribute.OPEN;
import static org.nyala.visibility.AskedAttribute.POLICY;
import static org.nyala.visibility.AskedAttribute.TOP;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DeleteRequest;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.MatchedValuesFilter;
import com.unboundid.ldap.sdk.controls.MatchedValuesRequestControl;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadResponseControl;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadResponseControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import com.unboundid.ldap.sdk.controls.VirtualListViewRequestControl;
import com.unboundid.ldap.sdk.unboundidds.controls.GetEffectiveRightsRequestControl;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.provider.AttributeProviders.Kind;
import org.nyala.core.provider.AttributeProviders.Use;
import org.nyala.core.provider.ComputedAttribute;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;
import org.nyala.visibility.AskedAttribute.Client;

/**
 * Asks about every attribute of the table in every way, as root, with a right to it and without:
 * the answers are those that its declaration implies.
 */
@Timeout(300)
class EveryAttributeTest {
  private static final String DEREFERENCE = "1.3.6.1.4.1.4203.666.5.16";
  private static final String NO_OP = "1.3.6.1.4.1.4203.666.5.2";
  private static final String ASIDE = "ou=aside," + TOP;

  private final SoftAssertions softly = new SoftAssertions();
  private final Map<Client, LDAPConnection> clients = new EnumMap<>(Client.class);
  private final List<AskedAttribute> attributes = attributes();
  private int changes;

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection root;

  private static List<AskedAttribute> attributes() {
    List<AskedAttribute> all = new ArrayList<>();
    for (ComputedAttribute each : ComputedAttribute.values()) {
      all.add(AskedAttribute.of(each));
    }
    all.add(AskedAttribute.stored("title", List.of("t"), "u"));
    all.add(AskedAttribute.stored("creatorsName", List.of("cn=admin"), TOP));
    all.add(AskedAttribute.stored("userPassword", List.of(HASH), "other"));
    return all;
  }

  private String rules() {
    String names =
        attributes.stream()
            .map(AskedAttribute::name)
            .filter(name -> !name.equals("userPassword"))
            .collect(Collectors.joining(", "));
    return """
    people blind = entry "uid=blind,dc=example,dc=com"
    to attributes userPassword
      blind may nothing
      users may read
      anonymous may authenticate
    to subtree "ou=closed,dc=example,dc=com"
      all may nothing
    to attributes %s
      blind may nothing
      users may read
    to all
      users may read, write
    """
        .formatted(names);
  }

  @BeforeEach
  void serve() throws Exception {
    Path rules = Files.writeString(folder.resolve("access.rules"), rules());
    server =
        LocalServer.start(
            folder,
            """
            access.rules = "%s", memberOf.enabled = true, dynamicEntries.enabled = true
            passwordPolicy.default = "%s"
            """
                .formatted(rules, POLICY));
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add("dn: " + CLOSED, "objectClass: organizationalUnit");
    root.add("dn: " + ASIDE, "objectClass: organizationalUnit");
    root.add(
        "dn: " + POLICY,
        "objectClass: device",
        "objectClass: pwdPolicy",
        "cn: policy",
        "pwdAttribute: userPassword");
    for (String name : List.of("reader", "blind")) {
      root.add(
          "dn: uid=" + name + "," + TOP,
          "objectClass: inetOrgPerson",
          "cn: x",
          "sn: x",
          "userPassword: pw");
    }
    root.add(
        "dn: " + ANN,
        "objectClass: inetOrgPerson",
        "objectClass: dynamicObject",
        "cn: x",
        "sn: x",
        "title: t",
        "userPassword: " + HASH);
    for (String group : List.of(OPEN, HIDDEN)) {
      root.add("dn: " + group, "objectClass: groupOfNames", "member: " + ANN);
    }
    root.add("dn: cn=ann," + ASIDE, "objectClass: applicationProcess", "seeAlso: " + ANN);
    root.add("dn: cn=top," + ASIDE, "objectClass: applicationProcess", "seeAlso: " + TOP);
    clients.put(Client.ROOT, root);
    for (Client each : List.of(Client.READER, Client.BLIND)) {
      LDAPConnection client = LocalServer.connect(server);
      String name = each == Client.READER ? "reader" : "blind";
      client.bind("uid=" + name + "," + TOP, "pw");
      clients.put(each, client);
    }
  }

  @AfterEach
  void stop() {
    clients.values().forEach(LDAPConnection::close);
    server.close();
  }

  /** A question about an attribute by a client who is shown some values. */
  private interface Question {
    void ask(AskedAttribute of, Client by, LDAPConnection client, Set<String> shown)
        throws Exception;
  }

  private void ask(Question question) throws Exception {
    for (AskedAttribute each : attributes) {
      for (Map.Entry<Client, LDAPConnection> by : clients.entrySet()) {
        Set<String> shown = each.shown(by.getKey(), root);
        question.ask(each, by.getKey(), by.getValue(), shown);
      }
    }
    softly.assertAll();
  }

  private void check(Object actual, Object expected, Object... what) {
    softly
        .assertThat(actual)
        .as(Stream.of(what).map(String::valueOf).collect(Collectors.joining(" ")))
        .isEqualTo(expected);
  }

  /** Compares the values of an entry; of the time that is left to it, only whether there is any. */
  private void checkValues(Entry entry, AskedAttribute of, Set<String> expected, Object... what) {
    String[] values = entry == null ? null : entry.getAttributeValues(of.name());
    Set<String> actual = values == null ? Set.of() : Set.of(values);
    boolean isTime = of.provider().computed() == ComputedAttribute.ENTRY_TTL;
    check(
        isTime ? actual.size() : actual,
        isTime ? expected.size() : expected,
        Stream.concat(Stream.of(of.name()), Stream.of(what)).toArray());
  }

  private static Set<String> onlyIf(boolean isShown, Set<String> values) {
    return isShown ? values : Set.of();
  }

  private static ResultCode code(Sending request) {
    try {
      return request.send();
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  private interface Sending {
    ResultCode send() throws LDAPException;
  }

  private static SearchRequest base(String name, String filter, String... attributes)
      throws LDAPException {
    return new SearchRequest(name, SearchScope.BASE, filter, attributes);
  }

  private static SearchRequest with(SearchRequest request, Control... controls) {
    request.setControls(controls);
    return request;
  }

  @Test
  void shouldShow() throws Exception {
    ask(
        (of, by, client, shown) -> {
          for (String asked : List.of("+", "*", of.name())) {
            boolean isShown =
                switch (asked) {
                  case "+" -> of.allows(Use.SHOWN_BY_PLUS);
                  case "*" -> of.allows(Use.SHOWN_BY_STAR);
                  default -> true;
                };
            checkValues(client.getEntry(of.target(), asked), of, onlyIf(isShown, shown), asked, by);
          }
        });
  }

  /** Filters about an attribute, and whether each finds the entry. */
  private static Map<String, Boolean> filters(AskedAttribute of, Client by, Set<String> shown) {
    Map<String, Boolean> filters = new LinkedHashMap<>();
    String present = "(" + of.name() + "=*)";
    filters.put(present, of.isFoundByPresence(by, shown));
    filters.put("(!" + present + ")", of.isPresenceTested(by) && !of.isFoundByPresence(by, shown));
    List<String> values = new ArrayList<>(shown);
    values.addAll(of.hidden());
    values.add(of.other());
    for (String value : values) {
      String equal = Filter.createEqualityFilter(of.name(), value).toString();
      boolean isFound = of.isFound(by, shown.contains(value));
      filters.put(equal, isFound);
      filters.put("(!" + equal + ")", of.isValueTested(by) && !isFound);
    }
    return filters;
  }

  @Test
  void shouldFilter() throws Exception {
    ask(
        (of, by, client, shown) -> {
          for (Map.Entry<String, Boolean> each : filters(of, by, shown).entrySet()) {
            String filter = each.getKey();
            boolean isFound = client.search(base(of.target(), filter, "1.1")).getEntryCount() > 0;
            check(isFound, each.getValue(), filter, by);
            SearchRequest wide = new SearchRequest(TOP, SearchScope.SUB, filter, "1.1");
            boolean isAmong =
                client.search(wide).getSearchEntries().stream()
                    .anyMatch(entry -> entry.getDN().equals(of.target()));
            check(isAmong, each.getValue(), filter, "below the top", by);
          }
        });
  }

  @Test
  void shouldCompare() throws Exception {
    ask(
        (of, by, client, shown) -> {
          if (of.type().isSecret()) {
            return;
          }
          List<String> values = new ArrayList<>(shown);
          values.addAll(of.hidden());
          values.add(of.other());
          for (String value : values) {
            ResultCode found =
                code(
                    () ->
                        client
                            .compare(new CompareRequest(of.target(), of.name(), value))
                            .getResultCode());
            if (!of.mayAsk(by)) {
              check(found, ResultCode.INSUFFICIENT_ACCESS_RIGHTS, of.name(), value, by);
            } else if (!of.allows(Use.COMPARED)) {
              check(found == COMPARE_TRUE || found == COMPARE_FALSE, false, of.name(), value, by);
            } else if (shown.isEmpty()) {
              check(found, ResultCode.NO_SUCH_ATTRIBUTE, of.name(), value, by);
            } else {
              ResultCode expected = shown.contains(value) ? COMPARE_TRUE : COMPARE_FALSE;
              check(found, expected, of.name(), value, by);
            }
          }
        });
  }

  private ModifyRequest change(String name, Control... controls) {
    Modification change =
        new Modification(ModificationType.REPLACE, "description", "d" + ++changes);
    return new ModifyRequest(name, new Modification[] {change}, controls);
  }

  @Test
  void shouldAssert() throws Exception {
    ask(
        (of, by, client, shown) -> {
          for (Map.Entry<String, Boolean> each : filters(of, by, shown).entrySet()) {
            Control control = new AssertionRequestControl(each.getKey(), true);
            SearchRequest search = with(base(of.target(), "(objectClass=*)", "1.1"), control);
            CompareRequest compare = new CompareRequest(of.target(), "objectClass", "top");
            compare.addControl(control);
            DeleteRequest delete = new DeleteRequest(of.target());
            Control nothing = new Control(NO_OP, true);
            delete.setControls(control, nothing);
            // Updates of root do not tell of secrets: others ask for them in its name.
            boolean isSearched = each.getValue() && of.allows(Use.ASSERTED);
            boolean isUpdated = isSearched && (by != Client.ROOT || !of.type().isSecret());
            String filter = each.getKey();
            check(
                code(() -> client.search(search).getResultCode()) != ASSERTION_FAILED,
                isSearched,
                filter,
                "asserted by a search of",
                by);
            check(
                code(() -> client.compare(compare).getResultCode()) != ASSERTION_FAILED,
                isSearched,
                filter,
                "asserted by a compare of",
                by);
            check(
                code(() -> client.modify(change(of.target(), control, nothing)).getResultCode())
                    != ASSERTION_FAILED,
                isUpdated,
                filter,
                "asserted by a modify of",
                by);
            check(
                code(() -> client.delete(delete).getResultCode()) != ASSERTION_FAILED,
                isUpdated,
                filter,
                "asserted by a delete of",
                by);
          }
        });
  }

  @Test
  void shouldReadBeforeAndAfterChanges() throws Exception {
    ask(
        (of, by, client, shown) -> {
          for (String asked : List.of("+", "*", of.name())) {
            boolean isShown =
                switch (asked) {
                  case "+" -> of.allows(Use.SHOWN_BY_PLUS);
                  case "*" -> of.allows(Use.SHOWN_BY_STAR);
                  default -> true;
                };
            // Secrets are read by searches alone.
            Set<String> expected = onlyIf(isShown && !of.type().isSecret(), shown);
            Entry before =
                PreReadResponseControl.get(
                        client.modify(change(of.target(), new PreReadRequestControl(true, asked))))
                    .getEntry();
            checkValues(before, of, expected, asked, "before a change by", by);
            if (of.provider().computed() != ComputedAttribute.CONTEXT_CSN) {
              Entry after =
                  PostReadResponseControl.get(
                          client.modify(
                              change(of.target(), new PostReadRequestControl(true, asked))))
                      .getEntry();
              checkValues(after, of, expected, asked, "after a change by", by);
            }
            shown = of.shown(by, root);
          }
        });
  }

  @Test
  void shouldSort() throws Exception {
    ask(
        (of, by, client, shown) -> {
          Control order = new ServerSideSortRequestControl(true, new SortKey(of.name()));
          Control view = new VirtualListViewRequestControl(1, 0, 9, 0, null, true);
          // Passwords have no order.
          boolean isSorted = of.mayAsk(by) && of.allows(Use.SORTED) && !of.type().isSecret();
          ResultCode expected =
              isSorted ? ResultCode.SUCCESS : ResultCode.UNAVAILABLE_CRITICAL_EXTENSION;
          for (Control[] controls : List.of(new Control[] {order}, new Control[] {order, view})) {
            SearchRequest request = new SearchRequest(TOP, SearchScope.SUB, "(objectClass=*)");
            ResultCode found = code(() -> client.search(with(request, controls)).getResultCode());
            check(found, expected, of.name(), "as the key of", by, controls.length);
          }
        });
  }

  @Test
  void shouldMatchValues() throws Exception {
    ask(
        (of, by, client, shown) -> {
          Control present =
              new MatchedValuesRequestControl(
                  true, MatchedValuesFilter.createPresentFilter(of.name()));
          Entry whole =
              client.searchForEntry(
                  with(base(of.target(), "(objectClass=*)", of.name(), "cn"), present));
          checkValues(whole, of, shown, "matched by presence for", by);
          for (String value : of.hidden()) {
            Control equal =
                new MatchedValuesRequestControl(
                    true, MatchedValuesFilter.createEqualityFilter(of.name(), value));
            Entry entry =
                client.searchForEntry(with(base(of.target(), "(objectClass=*)", of.name()), equal));
            checkValues(entry, of, onlyIf(shown.contains(value), Set.of(value)), "matched for", by);
          }
        });
  }

  @Test
  void shouldDereference() throws Exception {
    ask(
        (of, by, client, shown) -> {
          byte[] value =
              new ASN1Sequence(
                      new ASN1Sequence(
                          new ASN1OctetString("seeAlso"),
                          new ASN1Sequence(new ASN1OctetString(of.name()))))
                  .encode();
          String naming = of.target().equals(TOP) ? "cn=top," : "cn=ann,";
          SearchRequest request = base(naming + ASIDE, "(objectClass=*)", "cn");
          Control control = new Control(DEREFERENCE, true, new ASN1OctetString(value));
          SearchResultEntry entry = client.searchForEntry(with(request, control));
          Control response = entry.getControl(DEREFERENCE);
          String text =
              response == null || response.getValue() == null
                  ? ""
                  : new String(response.getValue().getValue(), StandardCharsets.ISO_8859_1);
          check(text.contains(of.name()), !shown.isEmpty(), of.name(), "dereferenced by", by);
          for (String each : of.hidden()) {
            check(text.contains(each), shown.contains(each), each, "dereferenced by", by);
          }
        });
  }

  @Test
  void shouldTellRights() throws Exception {
    ask(
        (of, by, client, shown) -> {
          if (by != Client.ROOT) {
            String name = by == Client.READER ? "uid=reader," : "uid=blind,";
            Control control =
                new GetEffectiveRightsRequestControl(true, "dn:" + name + TOP, of.name());
            Entry entry =
                client.searchForEntry(with(base(of.target(), "(objectClass=*)", "cn"), control));
            String rights = entry.getAttributeValue("attributeLevelRights");
            check(rights.contains(of.name() + ":r"), of.mayAsk(by), rights, by);
          }
        });
  }

  /** The entries of searches that go on. */
  @SuppressWarnings("serial") // Never written.
  private static final class Received implements AsyncSearchResultListener {
    final List<SearchResultEntry> entries = new CopyOnWriteArrayList<>();

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      entries.add(entry);
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      throw new AssertionError("there are no references");
    }

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      // Nothing waits for it.
    }
  }

  @Test
  void shouldFollow() throws Exception {
    ask(
        (of, by, client, shown) -> {
          Received received = new Received();
          SearchRequest request =
              new SearchRequest(
                  received,
                  of.target(),
                  SearchScope.BASE,
                  "(objectClass=*)",
                  of.name(),
                  "objectClass");
          request.addControl(
              new PersistentSearchRequestControl(
                  PersistentSearchChangeType.allChangeTypes(), false, false, true));
          AsyncRequestID id = client.asyncSearch(request);
          eventually("the entry is sent", () -> received.entries.size() == 1);
          root.modify(change(of.target()));
          eventually("the change is sent", () -> received.entries.size() == 2);
          client.abandon(id);
          checkValues(
              received.entries.getLast(), of, of.shown(by, root), "in a persistent search of", by);
        });
  }

  @Test
  void shouldSynchronize() throws Exception {
    ask(
        (of, by, client, shown) -> {
          Control control =
              new ContentSyncRequestControl(true, ContentSyncRequestMode.REFRESH_ONLY, null, false);
          SearchRequest request = base(of.target(), "(objectClass=*)", of.name(), "objectClass");
          Entry entry = client.searchForEntry(with(request, control));
          boolean isSent = of.allows(Use.FOLLOWED) && of.provider().kind() != Kind.COMPLETED;
          checkValues(entry, of, onlyIf(isSent, shown), "synchronized for", by);
        });
  }
}
