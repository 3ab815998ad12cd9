package org.nyala.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigResolveOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The data directory and the folder of run files that a configuration names which cannot be used as
 * it is: a server may run that was started before it was broken. Nothing else of it is read.
 *
 * <p>Immutable.
 *
 * @param data the data directory
 * @param run the folder of run files, if it is not in the data directory
 */
public record ServedPlaces(Path data, Optional<Path> run) {
  private static final String ROOT = "nyala.";
  private static final String DATA = "data";
  private static final String RUN = "run";

  /** A setting in a file whose syntax is wrong elsewhere. */
  private static final Pattern SETTING =
      Pattern.compile(
          "(?:^|[\\s{,])(?:nyala\\.)?(data|run)\\s*[=:]\\s*(?:\"([^\"]*)\"|([^\\s\"#,{}]+))");

  /**
   * Reads the places as far as they can be found.
   *
   * @param file the configuration file
   * @param base the folder that relative paths in it are relative to
   */
  public static ServedPlaces of(Path file, Path base) {
    String data = null;
    String run = null;
    try {
      Config config =
          ConfigFactory.parseFile(file.toFile())
              .resolve(ConfigResolveOptions.defaults().setAllowUnresolved(true));
      data = text(config, DATA);
      run = text(config, RUN);
    } catch (ConfigException _) {
      for (String line : lines(file)) {
        Matcher found = SETTING.matcher(line.strip().startsWith("#") ? "" : line);
        while (found.find()) {
          String value = found.group(2) == null ? found.group(3) : found.group(2);
          data = found.group(1).equals(DATA) ? value : data;
          run = found.group(1).equals(RUN) ? value : run;
        }
      }
    }
    Path folder = path(data, base);
    return new ServedPlaces(
        folder == null ? base.resolve(ConfigurationFile.DEFAULT_DATA) : folder,
        Optional.ofNullable(path(run, base)));
  }

  private static @Nullable String text(Config config, String key) {
    try {
      return config.hasPath(ROOT + key) ? config.getString(ROOT + key) : null;
    } catch (ConfigException _) {
      return null;
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException _) {
      return List.of();
    }
  }

  private static @Nullable Path path(@Nullable String text, Path base) {
    try {
      return text == null || text.isEmpty() ? null : base.resolve(text);
    } catch (InvalidPathException _) {
      return null;
    }
  }
}
