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
 * @param form which values belong to it
 * @param bound where it begins or ends, as a normalised value; never written to
 */
record RangeKey(int attribute, IndexKind kind, Form form, ByteBuffer bound) {
  /** The rule by which values belong to a range. */
  enum Form {
    /** Those not less than the bound. */
    FROM,
    /** Those not greater than the bound. */
    TO,
    /** Those that begin with the bound. */
    PREFIX
  }
}
