package org.nyala.core.directory.virtual;

import java.util.List;
import java.util.Map;

/**
 * The abilities of the operations, which the root DSE names (RFC 4512, section 5.1).
 *
 * <p>Immutable.
 *
 * @param controls the object identifiers of controls
 * @param extensions the object identifiers of extended operations
 * @param further the values of other attributes by their names
 */
public record Capabilities(
    List<String> controls, List<String> extensions, Map<String, List<String>> further) {
  public Capabilities {
    controls = List.copyOf(controls);
    extensions = List.copyOf(extensions);
    further = Map.copyOf(further);
  }

  /** Returns the same with other further attributes. */
  public Capabilities with(Map<String, List<String>> others) {
    return new Capabilities(controls, extensions, others);
  }
}
