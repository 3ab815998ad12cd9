package org.nyala.extension;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** A server whose extensions of strangers are each in a jar of their own. */
abstract class ExtensionJarsTestCase {
  static final String TOP = "dc=example,dc=com";
  static final String CURRENT = "public String builtWith() { return INTERFACE; } ";

  @TempDir Path home;

  private final Logger logger = Logger.getLogger("org.nyala.config");
  final Queue<String> lines = new ConcurrentLinkedQueue<>();

  /** The lines about slowness, which a busy machine causes as well. */
  final Queue<String> slow = new ConcurrentLinkedQueue<>();

  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord each) {
          String line = new java.util.logging.SimpleFormatter().formatMessage(each);
          (line.contains("it has held a thread for ") ? slow : lines).add(line);
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
  static String always(String name, String hooks) {
    return CURRENT
        + "public String name() { return \""
        + name
        + "\"; } public Optional<Configured> read(Section section) {"
        + " return Optional.of(() -> Extension.of(name(), Place.BEFORE_OPERATIONS, directory -> "
        + hooks
        + ")); }";
  }

  /** Returns a source that refuses changes of entries by a word that is configured. */
  static String refusing(String name, String word) {
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

  RunningServer start(String configuration) throws IOException {
    return LocalServer.start(home, configuration);
  }

  static LDAPException refused(RunningServer server, String name) throws Exception {
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      client.add("dn: " + name, "objectClass: organizationalUnit", "ou: x");
    } catch (LDAPException e) {
      return e;
    }
    throw new AssertionError(name + " was added");
  }

  static void addTop(RunningServer server) throws Exception {
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      client.add("dn: " + TOP, "objectClass: domain", "dc: example");
    }
  }

  String run(String... words) {
    LocalCommands nyala = new LocalCommands();
    System.setProperty("nyala.home", home.toString());
    try {
      return nyala.run(words) == 0 ? nyala.out() : nyala.err().strip();
    } finally {
      System.clearProperty("nyala.home");
    }
  }
}
