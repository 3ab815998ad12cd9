/**
 * The examination of a server that runs or is stopped, as far as it can be seen from outside of its
 * process. Its statements come from the checks that serve.
 *
 * <p>Public face: {@link Examination} and {@link FindingList}.
 */
@NullMarked
package org.nyala.doctor;

import org.jspecify.annotations.NullMarked;
