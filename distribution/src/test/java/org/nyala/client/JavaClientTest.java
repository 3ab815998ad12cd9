package org.nyala.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import javax.naming.AuthenticationException;
import javax.naming.AuthenticationNotSupportedException;
import javax.naming.Context;
import javax.naming.ContextNotEmptyException;
import javax.naming.NameNotFoundException;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.NoPermissionException;
import javax.naming.ReferralException;
import javax.naming.directory.Attributes;
import javax.naming.directory.BasicAttributes;
import javax.naming.directory.DirContext;
import javax.naming.directory.SearchControls;
import javax.naming.directory.SearchResult;
import javax.naming.ldap.InitialLdapContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.ServedDirectory;

/** Tests the JDK's own LDAP client, JNDI, against a real server. */
@SuppressWarnings({"JdkObsolete", "BanJNDI"}) // JNDI is under test, and it requires Hashtable.
class JavaClientTest {
  private static final String PEOPLE = "ou=People,dc=example,dc=com";

  @TempDir static Path folder;

  private static ServedDirectory served;

  @BeforeAll
  static void serve() throws Exception {
    served = ServedDirectory.start(folder, "clients.ldif", "striped");
  }

  @AfterAll
  static void stop() {
    served.close();
  }

  private static Hashtable<String, String> environment() {
    Hashtable<String, String> environment = new Hashtable<>();
    environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.ldap.LdapCtxFactory");
    environment.put(Context.PROVIDER_URL, served.url());
    environment.put("com.sun.jndi.ldap.read.timeout", "60000");
    return environment;
  }

  private static DirContext connect() throws NamingException {
    return new InitialLdapContext(environment(), null);
  }

  private static DirContext connect(String name, String password) throws NamingException {
    Hashtable<String, String> environment = environment();
    environment.put(Context.SECURITY_AUTHENTICATION, "simple");
    environment.put(Context.SECURITY_PRINCIPAL, name);
    environment.put(Context.SECURITY_CREDENTIALS, password);
    return new InitialLdapContext(environment, null);
  }

  private static List<String> names(NamingEnumeration<SearchResult> results)
      throws NamingException {
    List<String> names = new ArrayList<>();
    while (results.hasMore()) {
      names.add(results.next().getNameInNamespace());
    }
    return names;
  }

  @Test
  void shouldSearchWithArguments() throws NamingException {
    DirContext context = connect();
    SearchControls controls = new SearchControls();
    controls.setSearchScope(SearchControls.SUBTREE_SCOPE);
    Object[] arguments = {"zoë", "Zo"};
    assertThat(names(context.search(PEOPLE, "(&(uid={0})(cn={1}*))", arguments, controls)))
        .containsExactly("uid=zoë," + PEOPLE);
    Object[] parentheses = {"(a) * b \\ c"};
    assertThat(names(context.search(PEOPLE, "(description={0})", parentheses, controls)))
        .containsExactly("uid=zoë," + PEOPLE);
    context.close();
  }

  @Test
  void shouldListOneLevelAndReadAttributes() throws NamingException {
    DirContext context = connect();
    assertThat(names(context.search(PEOPLE, new BasicAttributes())))
        .containsExactlyInAnyOrder("uid=ada," + PEOPLE, "uid=bob," + PEOPLE, "uid=zoë," + PEOPLE);
    Attributes ada = context.getAttributes("uid=ada," + PEOPLE, new String[] {"cn", "jpegPhoto"});
    assertThat(ada.size()).isEqualTo(2);
    assertThat(ada.get("cn").size()).isEqualTo(2);
    assertThat((byte[]) ada.get("jpegPhoto").get()).startsWith(0xff, 0xd8);
    assertThat(context.getAttributes("uid=ada," + PEOPLE).get("userPassword")).isNull();
    context.close();
  }

  @Test
  void shouldReadRootDseAndSchema() throws NamingException {
    DirContext context = connect();
    Attributes root = context.getAttributes("", new String[] {"namingContexts"});
    assertThat(root.get("namingContexts").get()).isEqualTo("dc=example,dc=com");
    DirContext schema = context.getSchema("");
    Attributes person = schema.getAttributes("ClassDefinition/inetOrgPerson");
    assertThat(person.get("NUMERICOID").get()).isEqualTo("2.16.840.1.113730.3.2.2");
    Attributes surname = schema.getAttributes("AttributeDefinition/sn");
    assertThat(surname.get("NUMERICOID").get()).isEqualTo("2.5.4.4");
    context.close();
  }

  @Test
  void shouldBind() throws NamingException {
    connect("uid=ada," + PEOPLE, "enchantress").close();
    assertThatThrownBy(() -> connect("uid=ada," + PEOPLE, "wrong"))
        .isInstanceOf(AuthenticationException.class)
        .hasMessageContaining("49");
  }

  @Test
  void shouldGiveTheRightErrors() throws NamingException {
    DirContext context = connect();
    assertThatThrownBy(() -> context.getAttributes("uid=nobody," + PEOPLE))
        .isInstanceOf(NameNotFoundException.class)
        .satisfies(e -> assertThat(((NameNotFoundException) e).getResolvedName()).isNotNull());
    assertThatThrownBy(() -> context.destroySubcontext("uid=bob," + PEOPLE))
        .isInstanceOf(AuthenticationNotSupportedException.class)
        .hasMessageContaining("error code 8");
    context.close();
    DirContext ada = connect("uid=ada," + PEOPLE, "enchantress");
    assertThatThrownBy(() -> ada.destroySubcontext("uid=bob," + PEOPLE))
        .isInstanceOf(NoPermissionException.class)
        .hasMessageContaining("error code 50");
    ada.close();
    DirContext admin = connect("cn=admin,dc=example,dc=com", "admin");
    assertThatThrownBy(() -> admin.destroySubcontext(PEOPLE))
        .isInstanceOf(ContextNotEmptyException.class)
        .hasMessageContaining("error code 66");
    admin.close();
  }

  @Test
  void shouldMeetReferralsUnlessToldToIgnoreThem() throws NamingException {
    SearchControls controls = new SearchControls();
    controls.setSearchScope(SearchControls.SUBTREE_SCOPE);
    DirContext ignoring = connect();
    assertThat(names(ignoring.search("ou=Places,dc=example,dc=com", "(cn=*)", controls)))
        .contains("cn=elsewhere,ou=Places,dc=example,dc=com");
    ignoring.close();

    Hashtable<String, String> environment = environment();
    environment.put(Context.REFERRAL, "throw");
    DirContext context = new InitialLdapContext(environment, null);
    NamingEnumeration<SearchResult> results =
        context.search("ou=Places,dc=example,dc=com", "(cn=*)", controls);
    assertThatThrownBy(() -> names(results))
        .isInstanceOf(ReferralException.class)
        .satisfies(
            e ->
                assertThat(((ReferralException) e).getReferralInfo().toString())
                    .startsWith("ldap://ldap.example.net/"));
    context.close();
  }

  @Test
  void shouldCompareByBaseSearch() throws NamingException {
    DirContext context = connect();
    SearchControls compare = new SearchControls();
    compare.setSearchScope(SearchControls.OBJECT_SCOPE);
    compare.setReturningAttributes(new String[0]);
    Object[] value = {"ada@EXAMPLE.com".getBytes(UTF_8)};
    assertThat(context.search("uid=ada," + PEOPLE, "(mail={0})", value, compare).hasMore())
        .isTrue();
    Object[] other = {"bob@example.com"};
    assertThat(context.search("uid=ada," + PEOPLE, "(mail={0})", other, compare).hasMore())
        .isFalse();
    context.close();
  }
}
