package org.nyala.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Extended operations, placements and trees of strangers. */
class JarHooksTest extends ExtensionJarsTestCase {
  /** A source with an extended operation, and hooks that all do the same. */
  private static String offering(String name, String oid, boolean restricts, String does) {
    return CURRENT
        + "public String name() { return \""
        + name
        + "\"; } static int calls; static String act() { "
        + does
        + " } public Optional<Configured> read(Section section) { return Optional.of(() ->"
        + " new Extension() { public String name() { return \""
        + name
        + "\"; } public boolean restricts() { return "
        + restricts
        + "; } public List<ExtendedKind> extended() { return List.of(new ExtendedKind() {"
        + " public String oid() { return \""
        + oid
        + "\"; } public Set<org.nyala.core.control.ControlType> controls() { return Set.of(); }"
        + " public boolean isChange() { return false; }"
        + " public OperationBody body(Directory directory, Request.Extended request) {"
        + " String done = act(); return (operation, budget) -> {"
        + " operation.sink().extendedResult(LdapResult.SUCCESS, null, done.getBytes());"
        + " return org.nyala.core.dispatch.Task.Outcome.DONE; }; } }); }"
        + " public Hooks hooks(Directory directory) { return new Hooks() {"
        + " public Map<String, List<String>> rootDse() {"
        + " return Map.of(\"dynamicSubtrees\", List.of(\"cn=told\")); }"
        + " public List<PlacementRule> placements() { return List.of(new PlacementRule() {"
        + " public void complete(org.nyala.core.entry.Entry entry,"
        + " org.nyala.core.schema.ClassSet classes) { act(); }"
        + " public void checkNew(Backend backend, org.nyala.core.update.UpdateContext context,"
        + " org.nyala.core.schema.ClassSet classes, long parent) { act(); }"
        + " public void checkMoved(ReadTransaction transaction,"
        + " org.nyala.core.schema.ClassSet classes, long superior) { act(); } }); } }; } }); }";
  }

  @Test
  void shouldCarryOutTheExtendedOperationsOfJars() throws Exception {
    ExtensionJar.make(home, "Offer", offering("offer", "1.2.3.4", true, "return \"done\";"));
    try (RunningServer server = start("");
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      addTop(server);
      assertThat(client.getRootDSE().getSupportedExtendedOperationOIDs()).contains("1.2.3.4");
      assertThat(client.getRootDSE().getAttributeValues("dynamicSubtrees"))
          .containsExactly("cn=told");
      assertThat(client.processExtendedOperation("1.2.3.4").getValue().stringValue())
          .isEqualTo("done");
    }
    assertThat(lines).isEmpty();
  }

  @Test
  void shouldRefuseWhatFailsInPlacementsAndExtendedOperations() throws Exception {
    ExtensionJar.make(
        home,
        "Strict",
        offering("strict", "1.2.3.4", true, "throw new IllegalStateException(\"oh\");"));
    try (RunningServer server = start("");
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      assertThatThrownBy(() -> addTop(server))
          .extracting(e -> ((LDAPException) e).getResultCode())
          .isEqualTo(ResultCode.OTHER);
      assertThatThrownBy(() -> client.processExtendedOperation("1.2.3.4"))
          .extracting(e -> ((LDAPException) e).getResultCode())
          .isEqualTo(ResultCode.OTHER);
    }
    assertThat(lines)
        .containsExactly("the extension strict (Strict.jar) fails: IllegalStateException: oh");
  }

  @Test
  void shouldSwitchOffPlacementsAndExtendedOperationsThatRestrictNothing() throws Exception {
    ExtensionJar.make(
        home,
        "Loose",
        offering("loose", "1.2.3.4", false, "throw new IllegalStateException(\"oh\");"));
    try (RunningServer server = start("");
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      addTop(server);
      assertThat(client.processExtendedOperation("1.2.3.4").getDiagnosticMessage())
          .isEqualTo("the extension loose is switched off");
    }
    assertThat(lines)
        .containsExactly(
            "the extension loose (Loose.jar) fails: IllegalStateException: oh; it is switched off"
                + " until the next start");
  }

  @Test
  void shouldRefuseAnExtendedOperationThatEveryDirectoryCarriesOut() throws Exception {
    String whoAmI = "1.3.6.1.4.1.4203.1.11.3";
    ExtensionJar.make(home, "Taker", offering("taker", whoAmI, true, "return \"\";"));
    assertThatThrownBy(() -> start(""))
        .hasMessageContaining(
            "an extension carries out " + whoAmI + ", which every directory does");
  }

  /** A source that shows entries below a name; those of one word fail. */
  private static String showing(String name, String top) {
    return CURRENT
        + "public String name() { return \""
        + name
        + "\"; } public Optional<Configured> read(Section section) { return Optional.of(() ->"
        + " new Extension() { public String name() { return \""
        + name
        + "\"; } public Hooks hooks(Directory directory) { return Hooks.NONE; }"
        + " public List<VirtualTree> trees() { return List.of(() -> node(\""
        + top
        + "\", () -> List.of(node(\"cn=good\", List::of), node(\"cn=bad\", () -> {"
        + " throw new IllegalStateException(\"oh\"); })))); } }); }"
        + " static VirtualTree.Node node(String rdn,"
        + " java.util.function.Supplier<List<VirtualTree.Node>> children) {"
        + " return new VirtualTree.Node(rdn, Map.of(\"objectClass\", List.of(\"device\"),"
        + " \"cn\", List.of(rdn.substring(3))), children); }";
  }

  @Test
  void shouldShowTheEntriesOfJars() throws Exception {
    ExtensionJar.make(home, "Show", showing("show", "cn=shown"));
    try (RunningServer server = start("");
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      assertThat(client.search("cn=shown", SearchScope.SUB, "(cn=*)").getSearchEntries())
          .extracting(SearchResultEntry::getDN)
          .containsExactly("cn=shown", "cn=good,cn=shown", "cn=bad,cn=shown");
      assertThat(client.getEntry("cn=good,cn=shown").getAttributeValue("cn")).isEqualTo("good");
      assertThat(client.getEntry("cn=Monitor")).isNotNull();
      try (LDAPConnection anybody = LocalServer.connect(server)) {
        assertThat(anybody.getEntry("cn=shown")).isNull();
      }
    }
    assertThat(lines)
        .containsExactly("the extension show (Show.jar) fails: IllegalStateException: oh");
  }

  @ParameterizedTest
  @CsvSource({
    "cn=monitor, the extensions monitor and show both show entries below cn=monitor",
    "'dc=example,dc=com', which is taken",
    "cn=subschema, which is taken",
    "no name, which is no name"
  })
  void shouldRefuseEntriesAtAPlaceThatIsTaken(String top, String why) throws Exception {
    ExtensionJar.make(home, "Show", showing("show", top));
    assertThatThrownBy(() -> start("")).hasMessageContaining(why);
    assertThat(run("config", "check")).contains(why);
  }
}
