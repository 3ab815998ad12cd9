package org.nyala.cli.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.nyala.cli.command.ExportFile;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema.Addition;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;

/**
 * A file of definitions for another data directory: a schema file for its folder, or LDIF, which
 * that folder may contain as well and which can be sent to a running server.
 *
 * <p>Immutable.
 */
final class SchemaFile {
  private static final String HEADER = "# Definitions that were added while the server ran: ";

  private final Path path;
  private final boolean isLdif;

  private SchemaFile(Path path, boolean isLdif) {
    this.path = path;
    this.isLdif = isLdif;
  }

  /**
   * Creates the description of a file, whose format is that of its suffix.
   *
   * @throws CommandException if it ends neither in {@code .schema} nor in {@code .ldif}, so that it
   *     would not be read again
   */
  static SchemaFile of(Path path) {
    String name = path.toString();
    if (!name.endsWith(".schema") && !name.endsWith(".ldif")) {
      throw new CommandException(
          ExitCode.USAGE, "--schema " + path + ": the name must end in .schema or .ldif");
    }
    return new SchemaFile(path, name.endsWith(".ldif"));
  }

  /** Writes the file; it replaces an existing one when it is complete. */
  void write(List<Addition> additions) throws IOException {
    try (ExportFile file = ExportFile.open(path)) {
      OutputStream stream = file.stream();
      stream.write((isLdif ? ldif(additions) : directives(additions)).getBytes(UTF_8));
      file.commit();
    }
  }

  private static String directives(List<Addition> additions) {
    StringBuilder text = new StringBuilder(HEADER).append(additions.size()).append('\n');
    for (Addition addition : additions) {
      String directive =
          switch (addition.kind()) {
            case ATTRIBUTE_TYPE -> "attributetype";
            case OBJECT_CLASS -> "objectclass";
            case CONTENT_RULE -> "ditcontentrule";
            case NAME_FORM -> "nameform";
            case STRUCTURE_RULE -> "ditstructurerule";
          };
      text.append(directive).append(' ').append(addition.text()).append('\n');
    }
    return text.toString();
  }

  /* One modify adds all definitions, which may refer to each other in any order. */
  private static String ldif(List<Addition> additions) {
    StringBuilder text = new StringBuilder(HEADER).append(additions.size()).append('\n');
    if (!additions.isEmpty()) {
      text.append("dn: cn=Subschema\nchangetype: modify\n");
    }
    for (DefinitionKind kind : DefinitionKind.values()) {
      List<Addition> ofKind = additions.stream().filter(each -> each.kind() == kind).toList();
      if (!ofKind.isEmpty()) {
        text.append("add: ").append(kind.attribute()).append('\n');
        ofKind.forEach(each -> text.append(kind.attribute()).append(value(each.text())));
        text.append("-\n");
      }
    }
    return text.toString();
  }

  private static String value(String definition) {
    boolean isPlain = definition.chars().allMatch(c -> c >= ' ' && c < 0x7f);
    return isPlain
        ? ": " + definition + '\n'
        : ":: " + Base64.getEncoder().encodeToString(definition.getBytes(UTF_8)) + '\n';
  }
}
