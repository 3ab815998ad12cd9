package org.nyala.cli.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.nyala.cli.command.ExportFile;
import org.nyala.core.dn.Dn;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;

/**
 * The files of an export with one for each naming context, named after it.
 *
 * <p>Confined to one running operation. Closing it without a commit deletes what was written.
 */
final class ContextFiles implements AutoCloseable {
  private static final int MOST_NAME_CHARS = 100;

  private final Path folder;
  private final List<ExportFile> files = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private final List<String> lines = new ArrayList<>();

  /** Writes to an existing folder. */
  ContextFiles(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new CommandException(ExitCode.USAGE, "--split: there is no folder " + folder);
    }
    this.folder = folder;
  }

  /** Opens the file of a naming context. */
  LdifWriter open(Dn context) throws IOException {
    Path target = folder.resolve(name(context));
    ExportFile file = ExportFile.open(target);
    files.add(file);
    lines.add(
        target
            + ": "
            + (context.rdnCount() == 0 ? "''" : ErrorMessages.printable(context.toString())));
    return new LdifWriter(file.stream(), LdifWriter.DEFAULT_COLUMNS);
  }

  /** Returns a name for a file that has no special characters, and that no other context has. */
  private String name(Dn context) {
    String plain = context.toString().replaceAll("[^A-Za-z0-9=,._-]", "_");
    String cut = plain.length() <= MOST_NAME_CHARS ? plain : plain.substring(0, MOST_NAME_CHARS);
    String begin =
        cut.isEmpty() ? "all" : cut.startsWith(".") || cut.startsWith("-") ? "_" + cut : cut;
    String name = begin;
    for (int i = 2; !names.add(name.toLowerCase(Locale.ROOT)); i++) {
      name = begin + "-" + i;
    }
    return name + ".ldif";
  }

  /** Moves all files to their places, after all of them are on disk. */
  void commit() throws IOException {
    for (ExportFile file : files) {
      file.complete();
    }
    for (ExportFile file : files) {
      file.commit();
    }
  }

  /** Returns a line for each file, with its naming context. */
  List<String> lines() {
    return lines;
  }

  @Override
  public void close() throws IOException {
    IOException first = null;
    for (ExportFile file : files) {
      try {
        file.close();
      } catch (IOException e) {
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
