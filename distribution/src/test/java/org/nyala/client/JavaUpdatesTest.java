package org.nyala.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Hashtable;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.naming.Context;
import javax.naming.ContextNotEmptyException;
import javax.naming.NameAlreadyBoundException;
import javax.naming.NameNotFoundException;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.NoPermissionException;
import javax.naming.ReferralException;
import javax.naming.directory.Attribute;
import javax.naming.directory.AttributeInUseException;
import javax.naming.directory.Attributes;
import javax.naming.directory.BasicAttribute;
import javax.naming.directory.BasicAttributes;
import javax.naming.directory.DirContext;
import javax.naming.directory.InvalidAttributeIdentifierException;
import javax.naming.directory.InvalidAttributeValueException;
import javax.naming.directory.ModificationItem;
import javax.naming.directory.NoSuchAttributeException;
import javax.naming.directory.SchemaViolationException;
import javax.naming.directory.SearchControls;
import javax.naming.directory.SearchResult;
import javax.naming.event.EventContext;
import javax.naming.event.EventDirContext;
import javax.naming.event.NamespaceChangeListener;
import javax.naming.event.NamingEvent;
import javax.naming.event.NamingExceptionEvent;
import javax.naming.event.ObjectChangeListener;
import javax.naming.ldap.BasicControl;
import javax.naming.ldap.Control;
import javax.naming.ldap.ExtendedResponse;
import javax.naming.ldap.InitialLdapContext;
import javax.naming.ldap.LdapContext;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.PagedResultsControl;
import javax.naming.ldap.PagedResultsResponseControl;
import javax.naming.ldap.Rdn;
import javax.naming.ldap.SortControl;
import javax.naming.ldap.SortKey;
import javax.naming.ldap.SortResponseControl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.ServedDirectory;

/** Tests changes, lists and events by JNDI against a real server. */
@SuppressWarnings({"JdkObsolete", "BanJNDI"}) // JNDI is under test, and it requires Hashtable.
class JavaUpdatesTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String ROOT = "cn=admin," + SUFFIX;
  private static final String UNIT = "ou=jndi," + SUFFIX;
  private static final String REFERRAL = "cn=elsewhere,ou=Places," + SUFFIX;
  private static final Control TREE_DELETE =
      new BasicControl("1.2.840.113556.1.4.805", Control.CRITICAL, null);
  private static final int TIMEOUT_SECONDS = 60;

  @TempDir static Path folder;

  private static ServedDirectory served;

  private LdapContext context;

  @BeforeAll
  static void serve() throws Exception {
    served = ServedDirectory.start(folder, "clients.ldif");
  }

  @AfterAll
  static void stop() {
    served.close();
  }

  @BeforeEach
  void connect() throws NamingException {
    context = new InitialLdapContext(environment(), null);
    context.createSubcontext(UNIT, new BasicAttributes("objectClass", "organizationalUnit"));
  }

  @AfterEach
  void disconnect() throws NamingException {
    context.setRequestControls(new Control[] {TREE_DELETE});
    context.destroySubcontext(UNIT);
    context.close();
  }

  private static Hashtable<String, String> environment() {
    Hashtable<String, String> environment = new Hashtable<>();
    environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.ldap.LdapCtxFactory");
    environment.put(Context.PROVIDER_URL, served.url());
    environment.put(Context.SECURITY_AUTHENTICATION, "simple");
    environment.put(Context.SECURITY_PRINCIPAL, ROOT);
    environment.put(Context.SECURITY_CREDENTIALS, "admin");
    environment.put("com.sun.jndi.ldap.read.timeout", "60000");
    return environment;
  }

  private static Attributes person(String uid) {
    Attributes person = new BasicAttributes(true);
    person.put("objectClass", "inetOrgPerson");
    person.put("uid", uid);
    person.put("cn", "Person " + uid);
    person.put("sn", uid);
    return person;
  }

  private static String name(String uid) {
    return "uid=" + Rdn.escapeValue(uid) + "," + UNIT;
  }

  private void add(String uid) throws NamingException {
    context.createSubcontext(new LdapName(name(uid)), person(uid)).close();
  }

  private List<Object> values(String dn, String attribute) throws NamingException {
    Attribute found =
        context.getAttributes(new LdapName(dn), new String[] {attribute}).get(attribute);
    return found == null ? List.of() : new ArrayList<>(Collections.list(found.getAll()));
  }

  private List<String> search(String filter) throws NamingException {
    SearchControls controls = new SearchControls();
    controls.setSearchScope(SearchControls.SUBTREE_SCOPE);
    controls.setReturningAttributes(new String[] {"1.1"});
    NamingEnumeration<SearchResult> results = context.search(new LdapName(UNIT), filter, controls);
    List<String> names = new ArrayList<>();
    while (results.hasMore()) {
      names.add(results.next().getNameInNamespace());
    }
    return names;
  }

  private void modify(String dn, int kind, String attribute, Object... values)
      throws NamingException {
    context.modifyAttributes(dn, new ModificationItem[] {change(kind, attribute, values)});
  }

  private static ModificationItem change(int kind, String attribute, Object... values) {
    BasicAttribute changed = new BasicAttribute(attribute);
    for (Object value : values) {
      changed.add(value);
    }
    return new ModificationItem(kind, changed);
  }

  @Test
  void shouldAddAndDelete() throws NamingException {
    add("eve");
    assertThat(values(name("eve"), "creatorsName")).isEqualTo(List.of(ROOT));
    assertThatThrownBy(() -> add("eve")).isInstanceOf(NameAlreadyBoundException.class);
    assertThatThrownBy(() -> context.createSubcontext("uid=x,ou=Nowhere," + UNIT, person("x")))
        .isInstanceOf(NameNotFoundException.class);
    Attributes nobody = new BasicAttributes("objectClass", "inetOrgPerson", true);
    assertThatThrownBy(() -> context.createSubcontext(name("x"), nobody))
        .isInstanceOf(SchemaViolationException.class);
    Attributes unknown = person("x");
    unknown.put("shoeSize", "44");
    assertThatThrownBy(() -> context.createSubcontext(name("x"), unknown))
        .isInstanceOf(InvalidAttributeIdentifierException.class);
    assertThatThrownBy(() -> context.destroySubcontext(UNIT))
        .isInstanceOf(ContextNotEmptyException.class);
    context.destroySubcontext(name("eve"));
    assertThat(search("(uid=*)")).isEmpty();
  }

  @Test
  void shouldModify() throws NamingException {
    add("max");
    String max = name("max");
    context.modifyAttributes(
        max,
        new ModificationItem[] {
          change(DirContext.ADD_ATTRIBUTE, "description", "one", "two"),
          change(DirContext.REPLACE_ATTRIBUTE, "cn", "Max", "Mäx"),
          change(DirContext.REMOVE_ATTRIBUTE, "description", "ONE")
        });
    assertThat(values(max, "description")).isEqualTo(List.of("two"));
    assertThat(values(max, "cn")).isEqualTo(List.of("Max", "Mäx"));
    assertThatThrownBy(() -> modify(max, DirContext.ADD_ATTRIBUTE, "cn", "MAX"))
        .isInstanceOf(AttributeInUseException.class);
    assertThatThrownBy(() -> modify(max, DirContext.REMOVE_ATTRIBUTE, "cn", "Moritz"))
        .isInstanceOf(NoSuchAttributeException.class);
    assertThatThrownBy(() -> modify(max, DirContext.REMOVE_ATTRIBUTE, "sn"))
        .isInstanceOf(SchemaViolationException.class);
    assertThatThrownBy(() -> modify(max, DirContext.ADD_ATTRIBUTE, "description", ""))
        .isInstanceOf(InvalidAttributeValueException.class);
    modify(max, DirContext.REMOVE_ATTRIBUTE, "description");
    modify(max, DirContext.REPLACE_ATTRIBUTE, "description");
    assertThat(values(max, "description")).isEmpty();
  }

  @Test
  void shouldRename() throws NamingException {
    add("ren");
    Object uuid = values(name("ren"), "entryUUID").getFirst();
    context.addToEnvironment("java.naming.ldap.deleteRDN", "false");
    context.rename(name("ren"), name("kept"));
    assertThat(values(name("kept"), "uid")).containsExactlyInAnyOrder("ren", "kept");
    context.addToEnvironment("java.naming.ldap.deleteRDN", "true");
    context.createSubcontext(
        "ou=Größe," + UNIT, new BasicAttributes("objectClass", "organizationalUnit"));
    context.rename(name("kept"), "uid=ren,ou=Größe," + UNIT);
    assertThat(values("uid=ren,ou=Größe," + UNIT, "uid")).isEqualTo(List.of("ren"));
    context.rename("ou=Größe," + UNIT, "ou=Mass," + UNIT);
    assertThat(search("(entryUUID=" + uuid + ")")).containsExactly("uid=ren,ou=Mass," + UNIT);
    assertThatThrownBy(() -> context.rename(name("kept"), name("again")))
        .isInstanceOf(NameNotFoundException.class);
  }

  @Test
  void shouldKeepTextAndOctets() throws NamingException {
    String uid = " Jürgen, \"№ 7\" + <東京> 😀\\;#= / ";
    add(uid);
    LdapName name = new LdapName(name(uid));
    assertThat(values(name.toString(), "uid")).isEqualTo(List.of(uid));
    List<String> found = search("(cn=person *東京*)");
    assertThat(found).hasSize(1);
    assertThat(new LdapName(found.getFirst())).isEqualTo(name);
    byte[] octets = new byte[100_000];
    for (int i = 0; i < octets.length; i++) {
      octets[i] = (byte) (i * 31);
    }
    context.modifyAttributes(
        name,
        new ModificationItem[] {change(DirContext.ADD_ATTRIBUTE, "jpegPhoto", (Object) octets)});
    assertThat((byte[]) values(name.toString(), "jpegPhoto").getFirst()).isEqualTo(octets);
  }

  @Test
  void shouldReturnPagesOfASortedList() throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      add("p" + (char) ('a' + i * 7 % 25));
      names.add(name("p" + (char) ('a' + i)));
    }
    List<String> found = new ArrayList<>();
    byte[] cookie = null;
    do {
      context.setRequestControls(
          new Control[] {
            new PagedResultsControl(4, cookie, Control.CRITICAL),
            new SortControl(
                new SortKey[] {new SortKey("sn", false, "caseIgnoreOrderingMatch")},
                Control.CRITICAL)
          });
      found.addAll(search("(uid=*)"));
      Control[] controls = Objects.requireNonNull(context.getResponseControls());
      assertThat(controls).hasSize(2);
      cookie = null;
      for (Control control : controls) {
        switch (control) {
          case PagedResultsResponseControl page -> cookie = page.getCookie();
          case SortResponseControl sorted -> assertThat(sorted.isSorted()).isTrue();
          default -> throw new AssertionError(control.getID());
        }
      }
    } while (cookie != null && cookie.length > 0);
    assertThat(found).isEqualTo(names.reversed());
  }

  @Test
  void shouldChangePasswordsAndTellWhoIsBound() throws Exception {
    add("pat");
    context.extendedOperation(JavaExtendedRequest.passwordModify(name("pat"), "ünïque"));
    Hashtable<String, String> environment = environment();
    environment.put(Context.SECURITY_PRINCIPAL, name("pat"));
    environment.put(Context.SECURITY_CREDENTIALS, "ünïque");
    LdapContext pat = new InitialLdapContext(environment, null);
    ExtendedResponse who = pat.extendedOperation(JavaExtendedRequest.whoAmI());
    assertThat(new String(who.getEncodedValue(), UTF_8)).isEqualTo("dn:" + name("pat"));
    assertThatThrownBy(() -> pat.destroySubcontext(UNIT)).isInstanceOf(NoPermissionException.class);
    pat.close();
  }

  @Test
  void shouldThrowReferrals() throws NamingException {
    context.addToEnvironment(Context.REFERRAL, "throw");
    assertThatThrownBy(() -> context.destroySubcontext(REFERRAL))
        .isInstanceOfSatisfying(
            ReferralException.class,
            e -> assertThat(e.getReferralInfo().toString()).startsWith("ldap://ldap.example.net/"));
    assertThatThrownBy(() -> context.createSubcontext("uid=x," + REFERRAL, person("x")))
        .isInstanceOf(ReferralException.class);
    assertThatThrownBy(() -> context.getAttributes("uid=x," + REFERRAL))
        .isInstanceOfSatisfying(
            ReferralException.class,
            e -> assertThat(e.getReferralInfo().toString()).contains("uid=x,ou=Elsewhere"));
  }

  @Test
  void shouldTellListenersWhatChanges() throws Exception {
    Listener listener = new Listener();
    EventDirContext events = (EventDirContext) context.lookup(UNIT);
    events.addNamingListener("", EventContext.SUBTREE_SCOPE, listener);
    // There is no signal that it listens, so changes are made until it reports one.
    for (int i = 0; listener.heard.isEmpty(); i++) {
      assertThat(i).as("changes without an event").isLessThan(3000);
      modify(UNIT, DirContext.REPLACE_ATTRIBUTE, "description", "change " + i);
      listener.hear(20, TimeUnit.MILLISECONDS);
    }
    add("per");
    modify(name("per"), DirContext.REPLACE_ATTRIBUTE, "cn", "Changed");
    context.rename(name("per"), name("perm"));
    context.destroySubcontext(name("perm"));
    listener.hear(TIMEOUT_SECONDS, TimeUnit.SECONDS, "removed uid=perm");
    assertThat(listener.heard.stream().filter(event -> event.contains("uid=")))
        .containsExactly(
            "added uid=per", "changed uid=per", "renamed uid=per to uid=perm", "removed uid=perm");
    events.close();
  }

  /** Records the events in their order. */
  private static final class Listener implements NamespaceChangeListener, ObjectChangeListener {
    private final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final List<String> heard = new ArrayList<>();

    void hear(long timeout, TimeUnit unit) throws InterruptedException {
      String event = told.poll(timeout, unit);
      if (event != null) {
        heard.add(event);
      }
    }

    void hear(long timeout, TimeUnit unit, String last) throws InterruptedException {
      do {
        heard.add(Objects.requireNonNull(told.poll(timeout, unit), "an event after " + heard));
      } while (!heard.getLast().equals(last));
    }

    @Override
    public void objectAdded(NamingEvent event) {
      told.add("added " + event.getNewBinding().getName());
    }

    @Override
    public void objectRemoved(NamingEvent event) {
      told.add("removed " + event.getOldBinding().getName());
    }

    @Override
    public void objectRenamed(NamingEvent event) {
      told.add(
          "renamed " + event.getOldBinding().getName() + " to " + event.getNewBinding().getName());
    }

    @Override
    public void objectChanged(NamingEvent event) {
      told.add("changed " + event.getNewBinding().getName());
    }

    @Override
    public void namingExceptionThrown(NamingExceptionEvent event) {
      told.add(event.getException().toString());
    }
  }
}
