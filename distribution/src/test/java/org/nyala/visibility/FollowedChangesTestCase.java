package org.nyala.visibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import com.unboundid.ldap.sdk.controls.EntryChangeNotificationControl;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Follows changes as a client that may see some of what is changed. */
@Timeout(300)
abstract class FollowedChangesTestCase {
  static final String TOP = "dc=example,dc=com";
  static final String OPEN = "ou=open," + TOP;
  static final String SECRET = "ou=secret," + TOP;
  static final String POLICY = "cn=policy," + TOP;
  static final String ANN = "uid=ann," + OPEN;
  static final String BOB = "uid=bob," + OPEN;
  static final String SPY = "uid=spy," + SECRET;
  static final String MARK = "ou=mark," + TOP;
  static final String JOINED = "ou=joined," + TOP;

  @TempDir Path folder;

  RunningServer server;
  LDAPConnection root;
  RawClient ann;
  int marks;

  /** Returns the access rules. */
  abstract String rules();

  /** Returns further lines of the configuration file. */
  abstract String configuration();

  @BeforeEach
  void start() throws Exception {
    Files.writeString(folder.resolve("access.rules"), rules());
    Path file =
        ServerProcess.configure(
            folder,
            "access.rules = access.rules\npasswordPolicy.default = \"%s\"\n%s"
                .formatted(POLICY, configuration()));
    server = LocalServer.startFrom(file, folder);
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add(
        "dn: " + POLICY,
        "objectClass: device",
        "objectClass: pwdPolicy",
        "pwdAttribute: userPassword",
        "pwdLockout: TRUE",
        "pwdMaxFailure: 9");
    for (String name : List.of(OPEN, SECRET, MARK)) {
      root.add("dn: " + name, "objectClass: organizationalUnit");
    }
    for (String name : List.of(ANN, BOB, SPY)) {
      root.add(
          "dn: " + name, "objectClass: inetOrgPerson", "cn: c", "sn: s", "userPassword: secret");
    }
    ann = new RawClient(server, ANN, "secret");
  }

  @AfterEach
  void stop() throws Exception {
    ann.close();
    root.close();
    server.close();
  }

  /** Begins to follow; what is told from now on are changes. */
  void follow(Control control, String... attributes) throws Exception {
    follow("(objectClass=*)", control, attributes);
  }

  /** Begins to follow entries for which a filter is true, or which are among those of the test. */
  void follow(String filter, Control control, String... attributes) throws Exception {
    ann.send(
        new SearchRequestProtocolOp(
            TOP,
            SearchScope.SUB,
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            Filter.create("(|(ou=mark)(ou=joined)" + filter + ")"),
            List.of(attributes)),
        control);
    root.add("dn: " + JOINED, "objectClass: organizationalUnit");
    replace(JOINED, "l", "x");
    // It comes with the entries that were there, or as a change, or as both.
    while (!next().getDN().equals(JOINED)) {}
  }

  SearchResultEntry next() throws Exception {
    while (true) {
      LDAPMessage message = LDAPMessage.decode(ann.next());
      if (message.getProtocolOp() instanceof SearchResultEntryProtocolOp entry) {
        return entry.toSearchResultEntry(message.getControls().toArray(new Control[0]));
      }
      assertThat(message.getProtocolOp()).isNotInstanceOf(SearchResultDoneProtocolOp.class);
    }
  }

  static Control persistent(int types) {
    byte[] value = {0x30, 9, 2, 1, (byte) types, 1, 1, 0, 1, 1, -1};
    return new Control(
        PersistentSearchRequestControl.PERSISTENT_SEARCH_REQUEST_OID,
        true,
        new ASN1OctetString(value));
  }

  static Control synchronizing() {
    return new ContentSyncRequestControl(ContentSyncRequestMode.REFRESH_AND_PERSIST);
  }

  /** Returns the entries that come up to a change that everybody may see, made now. */
  List<SearchResultEntry> entries() throws Exception {
    replace(MARK, "l", Integer.toString(++marks));
    List<SearchResultEntry> told = new ArrayList<>();
    for (SearchResultEntry entry = next(); !entry.getDN().equals(MARK); entry = next()) {
      if (!entry.getDN().equals(JOINED)) {
        told.add(entry);
      }
    }
    return told;
  }

  /** Returns what is told of up to now, in words. */
  List<String> told() throws Exception {
    List<String> told = new ArrayList<>();
    for (SearchResultEntry entry : entries()) {
      EntryChangeNotificationControl change = EntryChangeNotificationControl.get(entry);
      ContentSyncStateControl state = ContentSyncStateControl.get(entry);
      String kind =
          change != null
              ? change.getChangeType().getName()
              : state == null ? "none" : state.getState().name();
      String previous = change == null ? null : change.getPreviousDN();
      told.add(kind + " " + entry.getDN() + (previous == null ? "" : " from " + previous));
    }
    return told;
  }

  void replace(String name, String attribute, String... values) throws LDAPException {
    root.modify(name, new Modification(ModificationType.REPLACE, attribute, values));
  }

  void move(String name, String superior) throws LDAPException {
    root.modifyDN(name, name.substring(0, name.indexOf(',')), true, superior);
  }

  void guess(String name) throws LDAPException {
    try (LDAPConnection guessing = LocalServer.connect(server)) {
      assertThatThrownBy(() -> guessing.bind(name, "wrong")).isInstanceOf(LDAPException.class);
    }
  }
}
