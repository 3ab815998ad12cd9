package org.nyala.core.directory.virtual;

import java.util.List;

/**
 * The abilities of the operations, which the root DSE names (RFC 4512, section 5.1).
 *
 * <p>Immutable.
 *
 * @param controls the object identifiers of controls
 * @param extensions the object identifiers of extended operations
 * @param dynamicExtensions the object identifiers of extended operations on dynamic entries (RFC
 *     2589)
 */
public record Capabilities(
    List<String> controls, List<String> extensions, List<String> dynamicExtensions) {
  public Capabilities {
    controls = List.copyOf(controls);
    extensions = List.copyOf(extensions);
    dynamicExtensions = List.copyOf(dynamicExtensions);
  }
}
