package org.nyala.core.slapd;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.nyala.core.access.rule.Source;

/** Finds out in which of its forms a configuration of slapd is, and reads it. */
final class SlapdFiles {
  private SlapdFiles() {}

  /** Reads slapd.conf, an LDIF of {@code cn=config}, or a folder such as slapd.d. */
  static SlapdConfiguration read(Path path) throws IOException, InvalidSlapdFileException {
    Source start = new Source(SlapdConfiguration.nameOf(path), 1, 1);
    SlapdConfiguration configuration = new SlapdConfiguration(start);
    if (Files.isDirectory(path)) {
      new ConfigReader(configuration).readFolder(path);
    } else if (isLdif(text(path, start))) {
      new ConfigReader(configuration).readFile(path);
    } else {
      new ConfReader(configuration, path).read();
    }
    return configuration;
  }

  /* No directive of slapd.conf has such a name. */
  private static boolean isLdif(String text) {
    for (LogicalLine line : LogicalLine.of(text)) {
      if (!line.isComment() && !line.isBlank()) {
        return line.text().startsWith("dn:") || line.text().startsWith("version:");
      }
    }
    return false;
  }

  /** Returns the content of a file; what is not UTF-8 is shown as such. */
  static String text(Path file, Source source) throws IOException, InvalidSlapdFileException {
    try (InputStream stream = Files.newInputStream(file)) {
      byte[] bytes = stream.readNBytes(SlapdConfiguration.MAXIMUM_BYTES + 1);
      if (bytes.length > SlapdConfiguration.MAXIMUM_BYTES) {
        throw new InvalidSlapdFileException(
            source, "a file of more than " + SlapdConfiguration.MAXIMUM_BYTES + " bytes");
      }
      return new String(bytes, UTF_8);
    }
  }

  /**
   * Returns the file that another names. slapd sees a relative name from its working directory,
   * wherever the file is that has it; the folder of the configuration stands for that, then those
   * of the naming file and of this process.
   *
   * @param top the configuration
   * @param from the file that names the other
   */
  static Path resolve(Path top, Path from, String named, Source source)
      throws InvalidSlapdFileException {
    try {
      Path file = Path.of(named);
      Path first = top.toAbsolutePath().resolveSibling(file);
      Path beside = from.toAbsolutePath().resolveSibling(file);
      return Stream.of(first, beside, file.toAbsolutePath())
          .filter(Files::exists)
          .findFirst()
          .orElse(first);
    } catch (InvalidPathException e) {
      throw new InvalidSlapdFileException(source, "'" + named + "' names no file");
    }
  }
}
