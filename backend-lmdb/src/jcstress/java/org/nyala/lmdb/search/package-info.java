/** The races of the store's lock-free parts, under JCStress. */
@org.jspecify.annotations.NullMarked
package org.nyala.lmdb.search;
