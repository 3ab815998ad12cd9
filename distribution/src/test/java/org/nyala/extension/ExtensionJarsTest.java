package org.nyala.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.config.OfferedExtension;
import org.nyala.error.ConfigurationException;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Extensions of strangers, each in a jar of its own. */
class ExtensionJarsTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String CURRENT = "public String builtWith() { return INTERFACE; } ";

  @TempDir Path home;

  private final Logger logger = Logger.getLogger("org.nyala.config");
  private final Queue<String> lines = new ConcurrentLinkedQueue<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord each) {
          lines.add(new java.util.logging.SimpleFormatter().formatMessage(each));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
  }

  @AfterEach
  void end() {
    logger.removeHandler(handler);
  }

  /** Returns a source that is always on, with hooks. */
  private static String always(String name, String hooks) {
    return CURRENT
        + "public String name() { return \""
        + name
        + "\"; } public Optional<Configured> read(Section section) {"
        + " return Optional.of(() -> Extension.of(name(), Place.BEFORE_OPERATIONS, directory -> "
        + hooks
        + ")); }";
  }

  /** Returns a source that refuses changes of entries by a word that is configured. */
  private static String refusing(String name, String word) {
    return CURRENT
        + "public String name() { return \""
        + name
        + "\"; } public Optional<Configured> read(Section section) {"
        + " return section.text(\"word\").map(word -> () -> Extension.of(name(),"
        + " Place.BEFORE_OPERATIONS, directory -> Hooks.checking(List.of("
        + "(transaction, change, cause, derived, pace) -> {"
        + " if (change.dn().toString().contains(word)) throw new LdapOperationException("
        + " ResultCode.CONSTRAINT_VIOLATION, \""
        + word
        + "\"); })))); }";
  }

  private RunningServer start(String configuration) throws IOException {
    return LocalServer.start(home, configuration);
  }

  private static LDAPException refused(RunningServer server, String name) throws Exception {
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      client.add("dn: " + name, "objectClass: organizationalUnit", "ou: x");
    } catch (LDAPException e) {
      return e;
    }
    throw new AssertionError(name + " was added");
  }

  private static void addTop(RunningServer server) throws Exception {
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      client.add("dn: " + TOP, "objectClass: domain", "dc: example");
    }
  }

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

  @Test
  void shouldNotLoadWhatDoesNotFit() throws Exception {
    ExtensionJar.make(
        home, "Later", refusing("later", "").replace("return INTERFACE;", "return \"2.0\";"));
    ExtensionJar.make(
        home, "Older", refusing("older", "").replace("return INTERFACE;", "return \"x\";"));
    ExtensionJar.make(home, "Named", refusing("Wrong Name", ""));
    ExtensionJar.make(
        home, "Failing", refusing("failing", "") + "{ Objects.requireNonNull(null); }");
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
        .hasSize(8)
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
