package org.nyala.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.ConfiguredExtension;
import org.nyala.config.OfferedExtension;
import org.nyala.error.ConfigurationException;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Extensions of strangers, each in a jar of its own. */
class ExtensionJarsTest extends ExtensionJarsTestCase {
  @Test
  void shouldServeTheExtensionsOfJarsThatAreConfigured() throws Exception {
    // Both have the class foreign.Guard$1, each in its own class loader.
    ExtensionJar.make(home, "Guard", refusing("guard", "of the first"));
    ExtensionJar.make(home, "Other", refusing("other", "of the second"));
    try (RunningServer server = start("guard { word = red }\nother { word = blue }")) {
      addTop(server);
      assertThat(refused(server, "ou=red," + TOP).getDiagnosticMessage()).isEqualTo("of the first");
      assertThat(refused(server, "ou=blue," + TOP).getDiagnosticMessage())
          .isEqualTo("of the second");
    }
    assertThat(lines).isEmpty();
  }

  /** Members of a cluster compare it, whatever the extension itself would answer. */
  @Test
  void shouldTellTheVersionOfItsSource() throws Exception {
    ExtensionJar.make(home, "Guard", refusing("guard", ""));
    Path file = ServerProcess.configure(home, "guard { word = red }");
    List<ConfiguredExtension> configured = ConfigurationFile.read(file, home).extensions();
    assertThat(configured).hasSize(1);
    try (Extension opened = configured.getFirst().open()) {
      assertThat(opened.version()).isEqualTo("1");
    }
  }

  @Test
  void shouldNotLoadWhatDoesNotFit() throws Exception {
    ExtensionJar.make(
        home, "Later", refusing("later", "").replace("return INTERFACE;", "return \"2.0\";"));
    ExtensionJar.make(
        home, "Older", refusing("older", "").replace("return INTERFACE;", "return \"x\";"));
    ExtensionJar.make(home, "Named", refusing("Wrong Name", ""));
    ExtensionJar.make(
        home, "Failing", refusing("failing", "") + "{ Objects.requireNonNull(null); }");
    ExtensionJar.make(
        home, "Nameless", refusing("nameless", "").replace("return \"nameless\";", "return null;"));
    ExtensionJar.make(home, "First", refusing("same", ""));
    ExtensionJar.make(home, "Second", refusing("same", ""));
    Path nothing = Files.createDirectory(home.resolve("nothing"));
    ExtensionJar.pack(home, "Empty", nothing, "");
    ExtensionJar.pack(home, "Missing", nothing, "foreign.Missing");
    Files.writeString(home.resolve("extensions/Torn.jar"), "no jar");
    try (RunningServer server = start("")) {
      addTop(server);
    }
    assertThat(lines)
        .hasSize(9)
        .anyMatch(line -> line.startsWith("the extension Nameless.jar is not loaded: NullPointer"))
        .anyMatch(
            line ->
                line.equals(
                    "the extension Later.jar is not loaded: it was built for version 2.0 of the"
                        + " extension interface, and this server has 1.0"))
        .anyMatch(line -> line.contains("Older.jar is not loaded: it was built for version x of"))
        .anyMatch(line -> line.startsWith("the extension Named.jar is not loaded: 'Wrong Name'"))
        .anyMatch(line -> line.startsWith("the extension Failing.jar is not loaded: NullPointer"))
        .anyMatch(line -> line.endsWith("another extension has the name same"))
        .anyMatch(
            line -> line.startsWith("the extension Empty.jar is not loaded: it is no jar, or"))
        .anyMatch(line -> line.contains("Missing.jar is not loaded: ") && line.contains("foreign"))
        .anyMatch(line -> line.startsWith("the extension Torn.jar is not loaded: "));
  }

  @Test
  void shouldRefuseWrongKeysOfItsObject() throws Exception {
    ExtensionJar.make(home, "Guard", refusing("guard", ""));
    assertThatThrownBy(() -> start("guard { word = red, colour = red }"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("nyala.guard.colour: there is no such key");
    assertThatThrownBy(() -> start("guard { word = [red] }"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("nyala.guard.word: expected text, found a list");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(Hooks) (Object) \"no hooks\"",
        "null",
        "Hooks.checking(null)",
        "Hooks.enclosing(null, null)"
      })
  void shouldRefuseToStartWithWhatFails(String hooks) throws Exception {
    ExtensionJar.make(home, "Weak", always("weak", hooks));
    assertThatThrownBy(() -> start(""))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("the extension weak (Weak.jar) fails: ");
  }

  @Test
  void shouldRefuseToStartWithWhatCannotReadItsKeys() throws Exception {
    String source = refusing("weak", "");
    int body = source.indexOf("return section");
    ExtensionJar.make(home, "Weak", source.substring(0, body) + "return null; }");
    assertThatThrownBy(() -> start(""))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("nyala.weak: the extension fails to read it: NullPointerException");
  }

  @Test
  void shouldLoadNothingFromTheFolderOfACommand() throws Exception {
    ExtensionJar.make(home, "Guard", refusing("guard", ""));
    Path relative = Path.of("").toAbsolutePath().relativize(home.toAbsolutePath());
    assertThat(OfferedExtension.in(home)).extracting("name").contains("guard");
    assertThat(OfferedExtension.in(relative)).extracting("name").doesNotContain("guard");
  }

  @Test
  void shouldRefuseToStartIfPlacesContradict() throws Exception {
    String behind = "Place.ANYWHERE.behind(\"%s\")";
    ExtensionJar.make(
        home,
        "One",
        always("one", "Hooks.NONE").replace("Place.BEFORE_OPERATIONS", behind.formatted("two")));
    ExtensionJar.make(
        home,
        "Two",
        always("two", "Hooks.NONE").replace("Place.BEFORE_OPERATIONS", behind.formatted("one")));
    assertThatThrownBy(() -> start(""))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("the extension one")
        .hasMessageContaining("the extension two");
  }

  @Test
  void shouldRefuseTheNameOfAnExtensionOfTheProgram() throws Exception {
    ExtensionJar.make(home, "Weak", always("auditlog", "Hooks.NONE"));
    assertThatThrownBy(() -> start(""))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("two extensions have the name auditlog");
  }

  @Test
  void shouldAnswerChangesThoughAListenerFails() throws Exception {
    ExtensionJar.make(
        home,
        "Weak",
        CURRENT
            + "public String name() { return \"weak\"; }"
            + " public Optional<Configured> read(Section section) {"
            + " return Optional.of(() -> new Extension() {"
            + " public String name() { return \"weak\"; }"
            + " public Hooks hooks(Directory directory) { return Hooks.NONE; }"
            + " public List<org.nyala.core.update.ChangeListener> listeners() { return List.of("
            + " new org.nyala.core.update.ChangeListener() {"
            + " public void committed(List<org.nyala.core.update.CommittedChange> changes) {"
            + " throw new IllegalStateException(\"committed\"); }"
            + " public boolean endsCommit(ResolvedChange change) {"
            + " throw new IllegalStateException(\"ends\"); }"
            + " public Images images() { return null; } }); } }); }");
    try (RunningServer server = start("");
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      addTop(server);
      for (int i = 0; i < 3; i++) {
        client.modify(
            TOP, List.of(new Modification(ModificationType.REPLACE, "description", "x" + i)));
      }
      assertThat(client.getEntry(TOP).getAttributeValue("description")).isEqualTo("x2");
    }
    assertThat(lines)
        .containsExactly("the extension weak (Weak.jar) fails: NullPointerException: no images");
  }

  /** Returns a source that is always on, and restricts nothing. */
  private static String harmless(String name, String hooks) {
    return CURRENT
        + "static int calls; public String name() { return \""
        + name
        + "\"; } public Optional<Configured> read(Section section) {"
        + " return Optional.of(() -> new Extension() {"
        + " public String name() { return \""
        + name
        + "\"; } public boolean restricts() { return false; }"
        + " public Hooks hooks(Directory directory) { return "
        + hooks
        + "; } }); }";
  }

  private static String throwing(String error) {
    return "Hooks.checking(List.of((transaction, change, cause, derived, pace) -> {"
        + " if (change.dn().toString().contains(\"red\")) throw "
        + error
        + "; }))";
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "new StackOverflowError(\"oh\")",
        "new NoClassDefFoundError(\"oh\")",
        "new AssertionError(\"oh\")"
      })
  void shouldGoOnAfterEveryErrorOfAnExtension(String error) throws Exception {
    ExtensionJar.make(home, "Weak", always("weak", throwing(error)));
    try (RunningServer server = start("")) {
      addTop(server);
      assertThat(refused(server, "ou=red," + TOP).getResultCode()).isEqualTo(ResultCode.OTHER);
      try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
        client.add("dn: ou=blue," + TOP, "objectClass: organizationalUnit", "ou: blue");
      }
    }
    String name = error.substring(4, error.indexOf('('));
    assertThat(lines).containsExactly("the extension weak (Weak.jar) fails: " + name + ": oh");
  }

  @Test
  void shouldSwitchOffWhatRestrictsNothing() throws Exception {
    ExtensionJar.make(
        home, "Rule", harmless("rule", throwing("new StackOverflowError(\"call \" + ++calls)")));
    ExtensionJar.make(
        home,
        "Around",
        harmless(
            "around",
            "Hooks.enclosing(Set.of(OperationType.COMPARE), (request, body) ->"
                + " new EnclosedOperation(body) {"
                + " public org.nyala.core.dispatch.Task.Outcome run(Operation operation,"
                + " org.nyala.core.dispatch.SliceBudget budget) {"
                + " throw new IllegalStateException(\"call \" + ++calls); } })"));
    try (RunningServer server = start("");
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      addTop(server);
      for (int i = 0; i < 3; i++) {
        client.add("dn: ou=red" + i + "," + TOP, "objectClass: organizationalUnit", "ou: x");
        assertThat(client.compare(TOP, "dc", "example").compareMatched()).isTrue();
      }
    }
    assertThat(lines)
        .containsExactly(
            "the extension rule (Rule.jar) fails: StackOverflowError: call 1; it is switched off"
                + " until the next start",
            "the extension around (Around.jar) fails: IllegalStateException: call 1; it is"
                + " switched off until the next start");
  }

  /** Slow work, by which other clients wait: of a rule, and of an operation on its thread. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Hooks.checking(List.of((transaction, change, cause, derived, pace) -> busy()))",
        "Hooks.enclosing(Set.of(OperationType.ADD), (request, body) -> {"
            + " busy(); return body; })",
        "Hooks.enclosing(Set.of(OperationType.ADD), (request, body) ->"
            + " new EnclosedOperation(body) {"
            + " public org.nyala.core.dispatch.Task.Outcome run(Operation operation,"
            + " org.nyala.core.dispatch.SliceBudget budget) throws LdapOperationException {"
            + " busy(); return body.run(operation, budget); } })"
      })
  void shouldNameWhatHoldsAThread(String hooks) throws Exception {
    ExtensionJar.make(
        home,
        "Slow",
        always("slow", hooks)
            + " static void busy() { long end = System.nanoTime() + 60_000_000;"
            + " while (System.nanoTime() < end) Thread.onSpinWait(); }");
    try (RunningServer server = start("")) {
      addTop(server);
    }
    assertThat(lines).isEmpty();
    assertThat(slow)
        .singleElement()
        .asString()
        .matches("the extension slow \\(Slow.jar\\) fails: it has held a thread for \\d+ ms");
  }

  /** A thread may be held by the disk or the collector, too. */
  @Test
  void shouldNotSwitchOffWhatIsSlow() throws Exception {
    ExtensionJar.make(
        home,
        "Slow",
        harmless(
            "slow",
            "Hooks.checking(List.of((transaction, change, cause, derived, pace) -> {"
                + " long end = System.nanoTime() + 60_000_000; calls++;"
                + " while (System.nanoTime() < end) Thread.onSpinWait();"
                + " if (calls == 2) throw new LdapOperationException("
                + "ResultCode.CONSTRAINT_VIOLATION, \"second\"); }))"));
    try (RunningServer server = start("")) {
      addTop(server);
      assertThat(refused(server, "ou=x," + TOP).getDiagnosticMessage()).isEqualTo("second");
    }
    assertThat(lines).isEmpty();
    assertThat(slow)
        .singleElement()
        .asString()
        .matches("the extension slow \\(Slow.jar\\) fails: it has held a thread for \\d+ ms");
  }

  /** A control that only an extension honours is not ignored once the extension is off. */
  @Test
  void shouldRefuseCriticalControlsOfWhatIsSwitchedOff() throws Exception {
    String searches =
        "new Hooks() { public List<SearchKind> searches() { return List.of((asked, operation) -> {"
            + " throw new IllegalStateException(\"oh\"); }); } }";
    ExtensionJar.make(
        home,
        "Kind",
        harmless("kind", searches)
            .replace(
                "public Hooks hooks",
                "public Set<org.nyala.core.control.ControlType> controls(OperationType type) {"
                    + " return Set.of(org.nyala.core.control.ControlType.NO_OP); }"
                    + " public Hooks hooks"));
    try (RunningServer server = start("");
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      addTop(server);
      SearchRequest request = new SearchRequest(TOP, SearchScope.BASE, "(objectClass=*)");
      assertThat(client.search(request).getEntryCount()).isEqualTo(1);
      request.addControl(new Control("1.3.6.1.4.1.4203.666.5.2", true));
      assertThatThrownBy(() -> client.search(request))
          .hasMessageContaining("the extension kind is switched off");
    }
  }

  /** A fault that neither a schema nor a name has: the commands find it as the start does. */
  @Test
  void shouldNameBothThatAddControlsToEntries() throws Exception {
    ExtensionJar.make(
        home,
        "Teller",
        always(
            "teller",
            "new Hooks() { public EntryControls entryControls() {"
                + " return (searched, honoured, isOpen) -> null; } }"));
    String conflict = "nyala: the extensions deref and teller both add controls to entries";
    assertThatThrownBy(() -> start("")).hasMessage(conflict);
    assertThat(run("extensions")).isEqualTo("nyala: " + conflict);
    assertThat(run("config", "check")).isEqualTo("nyala: " + conflict);
  }

  @Test
  void shouldListTheConfiguredOnesInACheck() throws Exception {
    ExtensionJar.make(home, "Guard", refusing("guard", "of the first"));
    Path file = Files.createDirectories(home.resolve("conf")).resolve("nyala.conf");
    Files.writeString(file, "nyala.suffixes = [\"" + TOP + "\"]\n");
    assertThat(run("config", "check")).startsWith("the configuration is sound: ");
    Files.writeString(file, "nyala.guard.word = red", StandardOpenOption.APPEND);
    assertThat(run("config", "check"))
        .startsWith("extension: guard 1 (Guard.jar): checks changes\nthe configuration is sound: ");
  }

  /** Runs a command of the installation; returns what it says. */
  @Test
  void shouldCloseWhatARuleLeavesOpen() throws Exception {
    String search =
        "Hooks.checking(List.of((transaction, change, cause, derived, pace) -> {"
            + " EntryCursor cursor = transaction.search(new SearchSpec(0, Scope.SUBTREE,"
            + " org.nyala.core.filter.CompiledFilter.Constant.TRUE, false, false), 0);"
            + " CLOSE }))";
    ExtensionJar.make(
        home, "Tidy", always("tidy", search.replace("CLOSE", "if (true) cursor.close();")));
    ExtensionJar.make(home, "Leaking", always("leaking", search.replace("CLOSE", "")));
    ExtensionJar.make(
        home,
        "Closing",
        always(
            "closing",
            search.replace(
                "CLOSE",
                "cursor.close(); if (change.dn().toString().contains(\"red\"))"
                    + " transaction.close();")));
    try (RunningServer server = start("")) {
      addTop(server);
      assertThat(refused(server, "ou=red," + TOP).getResultCode()).isEqualTo(ResultCode.OTHER);
    }
    assertThat(lines)
        .containsExactlyInAnyOrder(
            "the extension closing (Closing.jar) fails: IllegalStateException: it has closed a"
                + " transaction that is not its own",
            "the extension leaking (Leaking.jar) fails: it has left cursors open");
  }

  @Test
  void shouldNotShowTheSecretsOfAnExtension() throws Exception {
    String source = refusing("guard", "");
    ExtensionJar.make(
        home,
        "Guard",
        source.replace(
            "return section.text(\"word\")",
            "for (Section each : section.sections(\"more\")) each.secret(\"token\");"
                + " return section.secret(\"word\")"));
    Path file = ServerProcess.configure(home, "");
    Files.writeString(home.resolve("word"), "hush-file\n");
    for (String keys :
        List.of("word = hush, more = [{ token = hush-hush }]", "wordFile = word, more = []")) {
      Files.writeString(file, "nyala { guard { " + keys + " } }");
      String shown = ConfigurationFile.read(file, home).settings().all().toString();
      assertThat(shown).contains("guard").doesNotContain("hush");
    }
  }

  @Test
  void shouldRefuseWhatAFailingExtensionGuards() throws Exception {
    ExtensionJar.make(
        home,
        "Rule",
        always(
            "rule",
            "Hooks.checking(List.of((transaction, change, cause, derived, pace) -> {"
                + " if (change.dn().toString().contains(\"red\"))"
                + " throw new IllegalStateException(\"oh\"); }))"));
    ExtensionJar.make(
        home,
        "Around",
        always(
            "around",
            "Hooks.enclosing(Set.of(OperationType.COMPARE), (request, body) -> {"
                + " throw new IllegalStateException(\"ah\"); })"));
    try (RunningServer server = start("")) {
      addTop(server);
      assertThat(refused(server, "ou=red," + TOP).getResultCode()).isEqualTo(ResultCode.OTHER);
      try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
        assertThatThrownBy(() -> client.compare(TOP, "dc", "example"))
            .isInstanceOf(LDAPException.class)
            .extracting(e -> ((LDAPException) e).getResultCode())
            .isEqualTo(ResultCode.OTHER);
        assertThat(client.getEntry("ou=red," + TOP)).isNull();
        client.modify(TOP, List.of(new Modification(ModificationType.ADD, "description", "x")));
      }
    }
    assertThat(lines)
        .containsExactly(
            "the extension rule (Rule.jar) fails: IllegalStateException: oh",
            "the extension around (Around.jar) fails: IllegalStateException: ah");
  }
}
