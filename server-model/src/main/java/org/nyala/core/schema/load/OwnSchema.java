package org.nyala.core.schema.load;

import java.nio.file.Path;
import java.util.List;

/**
 * The schema files of an administrator, and what they change in the shipped ones.
 *
 * <p>Immutable.
 *
 * @param folders the folders of the files, in the order in which they are read
 * @param replaced the names or object identifiers of definitions that those in the folders may take
 *     the place of
 * @param with the files inside the program that are read besides ({@link
 *     SchemaLoader#optionalNames}), with or without the end of the name
 * @param without the shipped files that are left out, with or without the end of the name
 */
public record OwnSchema(
    List<Path> folders, List<String> replaced, List<String> with, List<String> without) {
  /** The shipped files alone. */
  public static final OwnSchema NONE = of(List.of());

  public OwnSchema {
    folders = List.copyOf(folders);
    replaced = List.copyOf(replaced);
    with = List.copyOf(with);
    without = List.copyOf(without);
  }

  /** Returns folders that replace nothing. */
  public static OwnSchema of(List<Path> folders) {
    return new OwnSchema(folders, List.of(), List.of(), List.of());
  }
}
