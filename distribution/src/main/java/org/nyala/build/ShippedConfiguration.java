package org.nyala.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.nyala.error.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Writes the commented {@code nyala.conf} that is shipped: the keys of the server, and at the line
 * {@value #MARK} the fragment of each extension from its folder.
 */
@Command(name = "configuration", hidden = true, description = "Used by the build.")
public final class ShippedConfiguration implements Callable<Integer> {
  private static final String MARK = "# the keys of extensions";
  private static final String FRAGMENT = "src/packaging/nyala.conf";

  @Option(
      names = "--project",
      required = true,
      paramLabel = "DIR",
      description = "The folder of the project.")
  private Path project = Path.of("");

  @Option(
      names = "--output",
      required = true,
      paramLabel = "FILE",
      description = "The file to write to.")
  private Path output = Path.of("");

  @Override
  public Integer call() throws IOException {
    Files.write(output, lines(project));
    return ExitCode.OK;
  }

  /**
   * Returns the lines of the file.
   *
   * @param project the folder of the project
   */
  public static List<String> lines(Path project) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line :
        Files.readAllLines(project.resolve("distribution/src/packaging/conf/nyala.conf"))) {
      if (line.strip().equals(MARK)) {
        lines.addAll(fragments(project.resolve("extensions")));
      } else {
        lines.add(line);
      }
    }
    return lines;
  }

  private static List<String> fragments(Path extensions) throws IOException {
    List<Path> files;
    try (Stream<Path> folders = Files.list(extensions)) {
      files = folders.map(each -> each.resolve(FRAGMENT)).filter(Files::exists).sorted().toList();
    }
    List<String> lines = new ArrayList<>();
    for (Path each : files) {
      if (!lines.isEmpty()) {
        lines.add("");
      }
      lines.addAll(Files.readAllLines(each));
    }
    return lines;
  }
}
