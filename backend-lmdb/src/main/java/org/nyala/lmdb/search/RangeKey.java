package org.nyala.lmdb.search;

import java.nio.ByteBuffer;
import org.nyala.lmdb.format.IndexKind;

/**
 * A range of the values of an index.
 *
 * <p>Immutable.
 *
 * @param attribute the number of the plain type
 * @param kind the kind of index
 * @param form the side of the bound on which its values are
 * @param bound the value where it begins or ends, normalised; never written to
 */
record RangeKey(int attribute, IndexKind kind, Form form, ByteBuffer bound) {
  /** The rule by which values belong to a range. */
  enum Form {
    /** The values not less than the bound. */
    FROM,
    /** The values not greater than the bound. */
    TO,
    /** The values that begin with the bound. */
    PREFIX
  }
}
