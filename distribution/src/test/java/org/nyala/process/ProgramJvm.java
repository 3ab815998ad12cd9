package org.nyala.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.nyala.cli.Main;

/**
 * The JVMs that run the program beside the tests. They live for seconds: they compile little, and
 * share an archive of classes, which the first of them writes when it ends. An archive takes
 * classes from jars only.
 *
 * <p>Thread-safe.
 */
public final class ProgramJvm {
  private static final Path FOLDER =
      Path.of("target", "program-" + ProcessHandle.current().pid()).toAbsolutePath();
  private static final String CLASS_PATH = classPath();

  private ProgramJvm() {}

  /**
   * Returns a command that runs the program.
   *
   * @param options further options of the JVM
   * @param arguments the arguments of the program
   */
  public static List<String> command(List<String> options, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+AutoCreateSharedArchive",
            "-XX:SharedArchiveFile=" + FOLDER.resolve("classes.jsa"),
            // The JVM would print that it cannot use the archive of another one.
            "-Xlog:disable",
            // As the launcher has it: settings are read by reflection once.
            "-Djdk.reflect.useNativeAccessorOnly=true",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"));
    command.addAll(options);
    command.addAll(List.of("-cp", CLASS_PATH, Main.class.getName()));
    command.addAll(arguments);
    return command;
  }

  /** Returns the class path of the tests, with a jar for each folder. */
  private static String classPath() {
    List<String> jars = new ArrayList<>();
    try {
      Files.createDirectories(FOLDER);
      for (String each : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
        Path path = Path.of(each);
        if (!Files.isDirectory(path)) {
          jars.add(each);
        } else {
          Path jar = FOLDER.resolve(jars.size() + ".jar");
          jar("--create", "--no-compress", "--file", jar.toString(), "-C", each, ".");
          jars.add(jar.toString());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return String.join(File.pathSeparator, jars);
  }

  private static void jar(String... arguments) {
    ToolProvider tool = ToolProvider.findFirst("jar").orElseThrow();
    assertThat(tool.run(System.out, System.err, arguments)).isZero();
  }
}
