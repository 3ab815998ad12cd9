package org.nyala.core.schema.load;

import java.util.List;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;

/** Schemas with more definitions than those of the files. */
public final class SchemaAdditions {
  private SchemaAdditions() {}

  /**
   * A schema with more definitions, each as RFC 4512, section 4.1, writes it.
   *
   * @throws InvalidSchemaException if a definition is not valid, telling which
   */
  public static Schema extend(
      Schema schema, List<String> attributeTypes, List<String> objectClasses) {
    DefinitionParser parser = SchemaLoader.described(schema);
    for (String description : attributeTypes) {
      parser.addAttributeType(description, description);
    }
    for (String description : objectClasses) {
      parser.addObjectClass(description, description);
    }
    return SchemaLinker.link(parser.definitions(), schema.syntaxes(), schema.secretTypes()).sound();
  }
}
