package org.nyala.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.LogManager;
import org.jspecify.annotations.Nullable;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;

/**
 * The configuration of the server's own log, from the file that the launcher names ({@code
 * conf/logging.properties}); empty if it names none.
 *
 * <p>Confined to the holder of the lock of a {@link Reconfiguration}.
 */
final class LogLevels {
  private static final System.Logger LOG = System.getLogger(LogLevels.class.getName());
  private static final String FILE = "java.util.logging.config.file";
  private static final String LEVEL = "level";

  private final Optional<Path> file;
  private Properties known;

  private LogLevels(Optional<Path> file, Properties known) {
    this.file = file;
    this.known = known;
  }

  /** Returns the current contents of the file, with which the program has started. */
  static LogLevels atStart() {
    Optional<Path> file =
        Optional.ofNullable(System.getProperty(FILE)).map(Path::of).filter(Files::isReadable);
    LogLevels levels = new LogLevels(file, new Properties());
    try {
      levels.known = levels.read();
    } catch (ConfigurationException e) {
      // The JVM has reported it, and logs as if there were no file.
      levels.known = new Properties();
    }
    return levels;
  }

  /**
   * Reads the file.
   *
   * @throws ConfigurationException with file, line and key
   */
  Properties read() {
    Properties properties = new Properties();
    if (file.isEmpty()) {
      return properties;
    }
    try (Reader reader = Files.newBufferedReader(file.get(), UTF_8)) {
      properties.load(reader);
    } catch (IOException e) {
      throw ConfigurationException.of(file.get().toString(), ErrorMessages.reason(e));
    } catch (IllegalArgumentException e) {
      throw ConfigurationException.of(file.get().toString(), ErrorMessages.line(e));
    }
    for (String key : properties.stringPropertyNames()) {
      if (key.equals(LEVEL) || key.endsWith("." + LEVEL)) {
        check(key, properties.getProperty(key).strip());
      }
    }
    return properties;
  }

  private void check(String key, String level) {
    try {
      Level.parse(level);
    } catch (IllegalArgumentException e) {
      throw ConfigurationException.of(
          place(key) + ": " + key,
          "expected OFF, SEVERE, WARNING, INFO, CONFIG, FINE, FINER, FINEST or ALL, found '"
              + level
              + "'");
    }
  }

  /** Returns the file and the last line that begins with the key, because the last one counts. */
  private String place(String key) {
    Path path = file.orElseThrow();
    try {
      List<String> lines = Files.readAllLines(path, UTF_8);
      for (int number = lines.size(); number > 0; number--) {
        if (lines.get(number - 1).strip().startsWith(key)) {
          return path + ":" + number;
        }
      }
    } catch (IOException e) {
      // It could be read a moment ago; the key is enough.
    }
    return path.toString();
  }

  /** Returns the keys that differ in another state of the file. */
  List<String> differing(Properties other) {
    TreeSet<String> keys = new TreeSet<>(known.stringPropertyNames());
    keys.addAll(other.stringPropertyNames());
    List<String> differing = new ArrayList<>();
    for (String key : keys) {
      @Nullable String before = known.getProperty(key);
      @Nullable String after = other.getProperty(key);
      if (!Objects.equals(before, after)) {
        differing.add(key);
      }
    }
    return differing;
  }

  /** Applies the contents of the file to the log. */
  void apply(Properties other) {
    if (differing(other).isEmpty()) {
      return;
    }
    try {
      LogManager.getLogManager().updateConfiguration(_ -> (_, after) -> after);
      known = other;
    } catch (IOException e) {
      // It could be read a moment ago; the next reload finds the same difference.
      LOG.log(System.Logger.Level.WARNING, "log levels stay: {0}", ErrorMessages.reason(e));
    }
  }
}
