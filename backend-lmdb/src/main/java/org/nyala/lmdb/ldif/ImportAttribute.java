package org.nyala.lmdb.ldif;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.provider.ComputedAttribute;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.schema.Syntax;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.format.ValueKeys;

/**
 * The properties of one attribute description that an import needs, worked out once.
 *
 * <p>Immutable.
 */
final class ImportAttribute {
  final AttributeDescription description;
  final AttributeType type;

  /** The numbers of the description in the store, and of its plain type. */
  final int id;

  final int plainId;
  final byte[] name;
  final boolean isOperational;

  /** True if records have the attribute behind other user attributes. */
  final boolean isStoredLast;

  /** True if values can be used to bind. */
  final boolean isPassword;

  final boolean isSingleValued;

  /** True for {@code contextCSN}, whose values are those of a naming context and not stored. */
  final boolean isContextCsn;

  /** True if the values may be stored out of line when they are very many. */
  final boolean mayBeApart;

  final Syntax.Validator validator;
  final @Nullable Normalizer equality;
  final IndexKind[] kinds;

  ImportAttribute(
      AttributeDescription description, int id, int plainId, List<IndexDefinition> indexes) {
    this.description = description;
    this.type = description.type();
    this.id = id;
    this.plainId = plainId;
    this.name = description.nameBytes();
    this.isOperational = type.isOperational();
    this.isStoredLast = SecretTypes.isStoredLast(type);
    this.isPassword = SecretTypes.isPassword(type);
    this.isSingleValued = type.flags().singleValue();
    this.isContextCsn = ComputedAttribute.CONTEXT_CSN.is(type);
    this.mayBeApart = !isContextCsn && ValueKeys.mayBeApart(type, isStoredLast);
    this.validator = type.syntax().validator();
    MatchingRule rule = type.equality();
    this.equality = rule == null ? null : rule.valueNormalizer();
    this.kinds = kindsOf(type, indexes);
  }

  private static IndexKind[] kindsOf(AttributeType type, List<IndexDefinition> indexes) {
    for (IndexDefinition index : indexes) {
      if (index.type().equals(type)) {
        return index.kinds().stream().sorted().toArray(IndexKind[]::new);
      }
    }
    return new IndexKind[0];
  }
}
