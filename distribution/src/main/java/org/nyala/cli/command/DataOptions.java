package org.nyala.cli.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.config.ServedPlaces;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.Installation;
import org.nyala.service.DataMarker;
import org.nyala.service.RunDirectory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options that select the configuration and the data of a command. */
public final class DataOptions {
  /** The environment variable that names the configuration file if no option does. */
  static final String VARIABLE = "NYALA_CONFIG";

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "The configuration. Default: the file that the environment variable NYALA_CONFIG names,"
              + " or conf/nyala.conf of the installation.")
  private @Nullable Path config;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "The data directory, instead of the one that the configuration names.")
  private @Nullable Path data;

  private @Nullable NyalaConfig loaded;
  private @Nullable RunDirectory found;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  /** Returns the configuration with the values of the command line; read once. */
  public NyalaConfig configuration() {
    NyalaConfig result = loaded;
    if (result == null) {
      result = read();
      loaded = result;
    }
    return result;
  }

  /** Reads the configuration anew, with the values of the command line. */
  public NyalaConfig read() {
    Installation installation = Installation.current();
    Path file = file();
    NyalaConfig result =
        file == null
            ? ConfigurationFile.ofInstallation(installation)
            : ConfigurationFile.read(file, installation.base());
    return data == null
        ? result
        : result.withData(data).notingCommandLine("nyala.data", data.toString());
  }

  /** Returns whether the command line names the data directory. */
  public boolean namesData() {
    return data != null;
  }

  /** Returns the configuration file; nothing if there is none. */
  public Optional<Path> configurationFile() {
    @Nullable Path file = file();
    return file == null ? Installation.current().configurationFile() : Optional.of(file);
  }

  private @Nullable Path file() {
    String named = System.getenv(VARIABLE);
    return config != null || named == null || named.isEmpty() ? config : Path.of(named);
  }

  /**
   * Returns the run files of the data directory. If the configuration cannot be used, but a server
   * runs where it says, they are those of that server: it can be asked and stopped all the same.
   */
  public RunDirectory runDirectory() {
    RunDirectory result = found;
    if (result == null) {
      result = findRunDirectory();
      found = result;
    }
    return result;
  }

  /**
   * Returns the sentence for a server that is not found. If its run files lie in its data directory
   * and that is gone, it may run all the same.
   */
  public String notRunning() {
    String text = "nyala is not running";
    return configuration().run().isPresent()
        ? text
        : DataMarker.lost(configurationFile(), configuration())
            .map(lost -> text + ", or cannot be found: " + lost)
            .orElse(text);
  }

  private RunDirectory findRunDirectory() {
    try {
      return RunDirectory.of(configuration());
    } catch (ConfigurationException e) {
      Path base = Installation.current().base();
      Path given = data;
      ServedPlaces places = ServedPlaces.of(configurationFile().orElseThrow(() -> e), base);
      Path folder = given == null ? places.data() : given;
      for (RunDirectory each :
          List.of(
              new RunDirectory(places.run().orElse(folder.resolve("run")), folder),
              new RunDirectory(folder))) {
        if (each.holder().isPresent()) {
          tell(e);
          return each;
        }
      }
      throw e;
    }
  }

  private void tell(ConfigurationException fault) {
    CommandSpec command = spec;
    if (command != null) {
      command
          .commandLine()
          .getErr()
          .println(
              "nyala: the server runs, but its configuration cannot be used any more: "
                  + ErrorMessages.line(fault));
    }
  }

  /** Returns these options for another process. */
  public List<String> toArguments() {
    List<String> arguments = new ArrayList<>();
    if (config != null) {
      arguments.add("--config=" + config.toAbsolutePath());
    }
    if (data != null) {
      arguments.add("--data=" + data.toAbsolutePath());
    }
    return arguments;
  }
}
