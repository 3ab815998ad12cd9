package org.nyala.core.schema.load;

import java.util.List;
import java.util.Locale;

/**
 * The parts that descriptions of all kinds have in common, read from one of them keyword by
 * keyword.
 *
 * <p>Confined to one running operation.
 */
final class DefinitionParts {
  private final String kind;
  private final String where;
  private final DefinitionReader reader;
  private String keyword = "";
  private List<String> names = List.of();
  private String description = "";
  private boolean obsolete;

  /**
   * Begins a description.
   *
   * @param kind its kind with the article, for messages
   * @param where the file and line
   */
  DefinitionParts(String kind, String text, String where) {
    this.kind = kind;
    this.where = where;
    this.reader = new DefinitionReader(text, where);
    reader.requirePunctuation("(");
  }

  DefinitionReader reader() {
    return reader;
  }

  String keyword() {
    return keyword;
  }

  boolean isObsolete() {
    return obsolete;
  }

  /** Reads the next keyword, or the end of the description. */
  boolean nextKeyword() {
    if (reader.isEnd(reader.require("')'"))) {
      if (reader.next()) {
        throw reader.invalid("text after the closing parenthesis");
      }
      return false;
    }
    keyword = reader.token().toUpperCase(Locale.ROOT);
    return true;
  }

  /** Reads a part that any description may have. */
  void readCommon() {
    switch (keyword) {
      case "NAME" -> names = DefinitionParser.names(reader);
      case "DESC" -> description = reader.requireQuoted();
      case "OBSOLETE" -> obsolete = true;
      default -> skipExtension();
    }
  }

  /** Reads a part that is an extension, or else is not known. */
  void skipExtension() {
    if (!keyword.startsWith("X-")) {
      throw reader.invalid("'" + keyword + "' is not known in " + kind);
    }
    reader.requireList();
  }

  /** Returns the parts that have been read. */
  Definition.Heading heading(String oid) {
    return new Definition.Heading(where, oid, names, description, obsolete);
  }
}
